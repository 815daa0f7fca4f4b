"""What the values of a call say."""
