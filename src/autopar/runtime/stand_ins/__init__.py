"""What a nest works on in place of values that no kernel can."""
