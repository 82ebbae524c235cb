"""The pages and files of a site as files, for a web server or an object store."""
