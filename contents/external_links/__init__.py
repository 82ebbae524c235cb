"""Links of approved contents to other websites, collected by the events and checked slowly; with CMS_CHECK_LINKS only."""
