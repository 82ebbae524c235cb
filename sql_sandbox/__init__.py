"""Runs one untrusted SELECT against a catalogue of virtual tables: see README.md."""
