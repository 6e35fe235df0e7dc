"""The experiments of the papers, small enough to run again; the command is isometrics-study."""
