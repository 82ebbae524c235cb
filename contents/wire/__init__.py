"""A content as JSON, and its columns."""
