"""The equations as tiers (ярусы), items 4 and 8 of the paper."""
