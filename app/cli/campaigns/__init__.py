"""What campaigns share on the command line: a corpus of files, the report of a folder."""
