"""All stops, in the order of a day."""

from tools.tour import desk_stops, site_stops, system_stops, website_stops, writing_stops
from tools.tour.registry import stops_of

STOPS = stops_of(website_stops, desk_stops, writing_stops, site_stops, system_stops)
