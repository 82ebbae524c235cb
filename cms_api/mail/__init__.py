"""E-mail that is stored with the change it tells of and sent later: a mail server that is down delays no request."""
