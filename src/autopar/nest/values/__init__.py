"""Values that are no numbers, made numbers."""
