"""Search by words, over the words that triggers keep."""
