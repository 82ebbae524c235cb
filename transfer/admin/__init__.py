from transfer.admin.sites import SitePages

__all__ = ["SitePages"]
