"""Prometheus metrics; without CMS_METRICS and CMS_METRICS_TOKEN only `server` is loaded."""
