"""When a request arrived, for those who share what is read after that."""

# In the WSGI environment: seconds of `time.monotonic` at which the request was complete in this process. Only the
# service's own worker sets it.
ARRIVED_AT = "cms.arrived_at"
