from pages.admin import assignment, templates

# Imported for their registrations: the page of templates, and what it adds to that of channels.
__all__ = ["assignment", "templates"]
