"""Campaigns: models that Hypothesis draws, checked in turn; findings are shrunk and kept."""
