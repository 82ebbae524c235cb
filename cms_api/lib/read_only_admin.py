"""Pages of the back end for looking."""

from typing import Any

from django.contrib import admin


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Shows records and changes none.

    What may be done to a record has rules (the trash, the figures of the tree, keys shown once) that a
    plain form would go round.
    """

    show_full_result_count = False

    def has_add_permission(self, request: Any, *args: Any) -> bool:
        """Nobody adds here."""
        return False

    def has_change_permission(self, request: Any, obj: Any = None) -> bool:
        """Nobody changes here."""
        return False

    def has_delete_permission(self, request: Any, obj: Any = None) -> bool:
        """Nobody deletes here."""
        return False

    def has_view_permission(self, request: Any, obj: Any = None) -> bool:
        """The highest rank sees everything; other ranks see nothing yet."""
        return bool(request.user.is_superuser)

    def has_module_permission(self, request: Any) -> bool:
        """Whether the menu names the app."""
        return bool(request.user.is_superuser)
