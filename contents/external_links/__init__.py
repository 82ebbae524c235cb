"""Links of approved contents to other websites: collected by the events, and checked slowly (CMS_CHECK_LINKS)."""
