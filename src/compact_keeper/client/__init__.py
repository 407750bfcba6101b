"""What Claude Code gives and takes."""
