"""Log lines, slow statements and error reports; loaded only if a setting needs them, except `secrets`."""

# Of the server's access log; the path without its query, which may hold an API key.
ACCESS_LINE = '%(t)s %(h)s "%(m)s %(U)s" %(s)s %(B)s bytes %(M)s ms %({x-request-id}o)s'
