"""Prints: layout -> scene -> PDF, SVG, PNG, virtual tabletops."""
