from pages.admin import assignment, templates

# Imported for their registrations: the page of templates, and its additions to the page of channels.
__all__ = ["assignment", "templates"]
