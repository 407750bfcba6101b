"""Figures of sessions, as people see them."""
