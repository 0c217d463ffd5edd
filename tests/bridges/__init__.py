"""Stories about the commands, one file each subject."""
