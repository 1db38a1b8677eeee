"""The filtration kernel as explicit vectors."""
