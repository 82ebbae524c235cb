"""Compiles templates and renders pages. Imports no Django; `source.Source` says what a page needs to know."""
