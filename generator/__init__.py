"""Makes all printed and virtual output: layout -> scene -> PDF, SVG, PNG, virtual tabletops."""
