"""The same deck made three ways, each a process of its own: ours, protograf, and bare ReportLab as the floor."""
