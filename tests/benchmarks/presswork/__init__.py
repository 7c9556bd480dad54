"""The same deck made by others: protograf, Typst, and bare ReportLab as the floor. Each runs in
its own process."""
