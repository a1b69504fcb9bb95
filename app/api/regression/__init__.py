"""Models in the tests of others: assertions, baselines, what a project's file says of its models."""
