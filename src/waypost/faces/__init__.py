"""The doors of the office: tools for models, and HTTP for programs. Thin: no use-case lives here.

A door says who calls, turns what it is given into a use-case's arguments, and shows what came of
it. The doors don't know each other; what they share stands beside them.
"""
