"""Whether this server lives, and whether it is ready to serve; for load balancers and those who keep watch."""
