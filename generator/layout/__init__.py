"""The layout language: YAML looks, read and checked, bound to components, become faces."""
