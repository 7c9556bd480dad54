"""Makes all printed and virtual output: layout -> scene -> PDF, SVG, PNG, virtual tabletops.

Start reading at `build/run.py`, which builds a game. `layout` binds looks to components, which gives faces; `art` and
`type` draw their pictures and words; `sheets`, `book`, `papercraft` lay faces out; `pdf` and `exports` write files;
`preflight` checks them. Imports `database` alone."""
