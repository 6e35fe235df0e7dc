"""Something with scores becomes operating points: arrays, frames, files, databases."""
