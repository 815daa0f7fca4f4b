"""What to run at a call: dependences and costs for its parameters."""
