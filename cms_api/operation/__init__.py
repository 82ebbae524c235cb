"""Names of earlier releases that unit files and running servers use. New ones are in `server`."""
