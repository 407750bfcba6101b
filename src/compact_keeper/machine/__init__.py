"""What is true on this machine now."""
