"""Files that clients send, and their way back to them: pictures, media, files of sites."""
