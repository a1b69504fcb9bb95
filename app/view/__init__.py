"""The page of ``mbconcord view``: a server of this machine alone, and the processes that do its work."""
