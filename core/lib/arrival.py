"""The arrival time of a request, for sharing data that is read later."""

# In the WSGI environment: `time.monotonic` of the completion of the request in this process. Only the
# service's own worker sets it.
ARRIVED_AT = "cms.arrived_at"
