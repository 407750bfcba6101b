"""Our data folder, and nothing else."""
