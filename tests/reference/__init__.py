"""The pages of docs/reference, made from the code: `python -m tests.reference` writes them, a test compares them."""
