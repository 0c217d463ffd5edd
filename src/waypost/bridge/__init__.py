"""From one dialect to another: translation, its losses, who a letter is for, and guards. Pure."""
