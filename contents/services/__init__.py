"""Acts on contents; each function happens wholly or not at all."""
