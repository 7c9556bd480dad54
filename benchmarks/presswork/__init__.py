"""The same deck made by others: protograf, Typst, and bare ReportLab as the floor. Each is a process of its own."""
