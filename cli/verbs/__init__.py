"""The verbs of the command line, a few a module. They parse, call one room of the house, and
print."""
