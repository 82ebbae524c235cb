"""Compiles templates and renders pages. Imports no Django; `source.Source` is the interface to the records of a
page."""
