"""The command line: one module a command, each a thin face over the library. Importing it loads no command."""
