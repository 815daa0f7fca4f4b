"""Types of a nest for the values of a call, and what they allow."""
