"""Sphinx reads docs/ as it stands: Markdown by MyST, the theme Furo, nothing from the network (decision 0008).

The site is for users. Whoever changes Playproof reads docs/architecture.md, docs/maintain and docs/decisions in the
repository: on the site their pages would answer a user's search."""

project = "Playproof"
copyright = "the Playproof developers"  # Sphinx asks for this name
extensions = ["myst_parser"]
exclude_patterns = ["conf.py", "architecture.md", "maintain", "decisions"]
html_theme = "furo"
html_title = "Playproof"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True}
myst_heading_anchors = 3
suppress_warnings = ["myst.header"]  # a page may begin with its one sentence, as limitations.md does
