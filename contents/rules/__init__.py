"""Where and Order rules: from the request to SQL."""
