"""Putting mail into an agent's hands: its client's configuration, and the guard before a commit.

Files of other people are changed here, so every change is a splice: what isn't ours keeps its
bytes. What is to be written is decided first, for all files, from text to text, and written then.
This room doesn't know the command line, and starts no server.
"""
