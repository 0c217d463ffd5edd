"""Our mailboxes beside the existing command's: each reads what the other wrote."""
