from tests.admin.conftest import highest

__all__ = ["highest"]
