"""Prometheus metrics; without CMS_METRICS and CMS_METRICS_TOKEN only `folder` is loaded."""
