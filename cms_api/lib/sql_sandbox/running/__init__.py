"""Running compiled statements: the engines' readers, and the processes that they work in."""
