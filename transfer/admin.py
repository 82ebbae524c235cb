from transfer.site_pages import SitePages

__all__ = ["SitePages"]
