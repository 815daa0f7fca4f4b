"""The catalogue, one module for each category."""
