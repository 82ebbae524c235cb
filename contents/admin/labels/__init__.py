"""Groups and tags of a site: renamed, merged, removed."""
