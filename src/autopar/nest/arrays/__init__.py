"""Statements on whole arrays as loops over elements."""
