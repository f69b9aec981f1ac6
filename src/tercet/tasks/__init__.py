"""The tasks: one module or folder per command, named after it, with its options, its function and its command."""
