"""A session's notes for people."""
