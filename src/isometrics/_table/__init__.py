"""The table of operating points as counts: its rows, its hull and the path through them."""
