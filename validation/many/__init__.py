"""Many models: campaigns, clusters, catalogues of expected results."""
