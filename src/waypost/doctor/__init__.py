"""What is wrong with an installation or a home: one small file a check, each with its repair."""
