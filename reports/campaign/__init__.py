"""Campaigns as reports: coverage, closeness to the bounds, findings, speed."""
