from sites.admin import menu, sites

# Imported for their registrations.
__all__ = ["menu", "sites"]
