"""The list of contents: what the address asks for, filters, pages."""
