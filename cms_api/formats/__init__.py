"""How dates and numbers read in the back end, by language."""
