from forms.admin import entries, visitor_forms

# Imported for their registrations.
__all__ = ["entries", "visitor_forms"]
