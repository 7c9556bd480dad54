"""The trusted part of the verifier: certificates, what each states, and how it is checked.

Nothing else decides a verdict. The kernel imports the interpreter, the term tree, Z3, numpy and the
standard library. It imports no search code and no generated code.
"""
