"""Addresses of contents."""
