"""What records mean: pure functions over plain sequences, without I/O and without a clock."""
