"""Motions that users give as tables: gaits of walking machines, motions along which efforts are asked for."""
