"""What a comparison of models is made of: areas, winners, dominance, sentences."""
