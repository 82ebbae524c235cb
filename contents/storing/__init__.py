"""How contents are written: inserted, overwritten with history, locked."""
