"""The form in which editors write a content, and what belongs to it: preview, uploads, custom fields."""
