"""Export of records to spreadsheets, and import with a preview."""
