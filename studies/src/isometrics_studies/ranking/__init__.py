"""Which measure ranks models how: the study of Flach & Kull (2015), section 4, and beyond it."""
