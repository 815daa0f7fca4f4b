"""Calls of the user's functions, and of those that draw random numbers."""
