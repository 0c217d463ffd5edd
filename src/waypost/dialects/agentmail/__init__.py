"""Agent Mail: typed JSON messages, six types, through one authenticated server. Pure."""
