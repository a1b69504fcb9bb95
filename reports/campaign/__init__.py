"""Campaigns made readable: what was covered, how near to the bounds, what was found, at which speed."""
