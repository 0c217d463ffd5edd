"""OACP without an office: the use-cases of the `oacp` command, over nothing but folders."""
