"""OACP: YAML messages, twelve types, read and written as files by many different tools. Pure."""
