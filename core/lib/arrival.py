"""The arrival time of a request, for sharing data that is read later."""

# In the WSGI environment: seconds of `time.monotonic` at which the request was complete in this process. Only the
# service's own worker sets it.
ARRIVED_AT = "cms.arrived_at"
