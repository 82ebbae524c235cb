"""Pages for editors of channels: the tree of a site, forms, several channels at once."""
