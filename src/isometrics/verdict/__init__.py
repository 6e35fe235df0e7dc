"""The verdict: which model, which threshold, how sure, without the winner's curse."""
