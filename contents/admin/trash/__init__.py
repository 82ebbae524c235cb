"""The trash: restored, or deleted permanently."""
