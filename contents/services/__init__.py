"""What is done to contents: each function is one act that happens wholly or not at all."""
