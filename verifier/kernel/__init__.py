"""What must be trusted: certificates, each with what it states and how it is checked.

Nothing else decides a verdict. The kernel imports the interpreter, the term tree, Z3, numpy and the standard library,
no search code and no generated code."""
