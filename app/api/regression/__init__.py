"""Models in other projects' tests: assertions, baselines, settings of models in a project's file."""
