"""What a letter is: so far, the names that letters are addressed to. Pure."""
