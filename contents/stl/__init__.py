"""The stl endpoints of contents."""
