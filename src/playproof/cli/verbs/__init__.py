"""The commands of the command line, a few per module. They parse, call one function of another
package, and print."""
