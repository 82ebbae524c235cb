"""Contents that wait for approval, and the page that decides."""
