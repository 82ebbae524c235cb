"""The tour of docs/tour.md: pictures of the sample site in both languages and schemes (`make pictures`)."""
