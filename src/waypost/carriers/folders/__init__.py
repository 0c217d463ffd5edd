"""OACP's carrier: a tree of folders, where a message is a file in an inbox.

The contract, in five sentences. A message is staged and synced for every recipient before any of
them can see it. One durable rename is the point of no return: before it nothing was sent, after it
the delivery only goes forward, if need be by the next command. Nothing is ever overwritten: names
are claimed by creating them exclusively, and files appear by linking. Whatever else lies in the
folders is left alone. Several processes may do all of this at once.
"""
