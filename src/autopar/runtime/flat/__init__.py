"""Loops that call methods of the user's objects: their text, written out for those of a call."""
