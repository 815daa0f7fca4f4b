"""From the text of a loop to a nest."""
