"""The commands of the command line, a few per module. They parse, call one room of the house, and
print."""
