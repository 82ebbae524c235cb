"""The API of contents: views, filters, and what a request for a list asks for."""
