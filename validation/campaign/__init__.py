"""Campaigns: models that Hypothesis draws, checked one after the other; what is found is shrunk and kept."""
