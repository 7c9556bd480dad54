"""The layout language: YAML looks are read, checked and bound to components, which gives faces."""
