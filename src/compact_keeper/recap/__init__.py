"""The text that is put back."""
