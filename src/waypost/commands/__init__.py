"""The command lines `waypost` and `oacp`: they parse words and print results, no more."""
