"""The command line: its commands, and their output on a terminal."""
