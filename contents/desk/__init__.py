"""Pages in the back end where editors read, write and approve contents."""
