"""Describes the operations that belong to no resource: ping, restart, health, metrics and the document itself."""

from core.openapi.describing import TEXT, Described, Schema, list_of, record, ref, value_of

TAG = "Service"

_PROBES = list_of(ref("Probe")) | {
    "description": "The checks. Only for requests from the server itself and keys with System:read."
}


def _status(*words: str) -> Schema:
    return {"type": "string", "enum": list(words), "description": "State of the server, in one word."}


SCHEMAS: dict[str, Schema] = {
    "Probe": record(
        {
            "name": {
                "type": "string",
                "description": "The check: database, migrations, disk, media or cache.",
            },
            "state": {
                "type": "string",
                "enum": ["ok", "degraded", "failed"],
                "description": "ok, degraded (a substitute is in use) or failed.",
            },
            "milliseconds": {
                "type": "number",
                "format": "double",
                "minimum": 0,
                "description": "Duration of the check in milliseconds.",
            },
            "message": {"type": "string", "description": "Result as a sentence."},
        }
    ),
    "Readiness": record({"status": _status("ready", "degraded"), "probes": _PROBES}, required=["status"]),
    "Liveness": record(
        {
            "status": _status("live"),
            "timeZone": {
                "type": "string",
                "description": "Time zone of all dates and times of the API (CMS_TIME_ZONE), such as Asia/Shanghai.",
            },
        }
    ),
}

OPERATIONS = (
    Described(
        method="GET",
        path="/ping",
        id="ping",
        tag=TAG,
        description="Returns the text pong if the service is up. Checks nothing else.",
        success="The text pong.",
        answer={"type": "string", "enum": ["pong"], "description": "Always pong."},
        answer_types=(TEXT,),
        uses_database=False,
    ),
    Described(
        method="POST",
        path="/actions/restart",
        id="restart",
        tag=TAG,
        description="Restarts the service on every server with the code installed now, without dropping requests. The "
        "response comes before the restart begins; if the new code cannot start, the current code keeps "
        "running.",
        success="True if the restart will follow.",
        answer=value_of({"type": "boolean"}, "True if the restart will follow."),
    ),
    Described(
        method="GET",
        path="/health/live",
        id="getLiveness",
        tag=TAG,
        description="Succeeds while the process runs, and names the time zone; does not check the database or anything "
        "else. If it fails, the load balancer should restart the server.",
        success="The process is running.",
        answer=value_of(ref("Liveness"), "State of the process."),
        headers=("Cache-Control",),
        uses_database=False,
    ),
    Described(
        method="GET",
        path="/health/ready",
        id="getReadiness",
        tag=TAG,
        description="Checks whether this server can take requests: database, migrations, disk and file storage. Only "
        "the server itself and keys with the scope `System:read` get details.",
        success="The server is ready.",
        answer=value_of(ref("Readiness"), "State of the server."),
        headers=("Cache-Control",),
        codes={503: ("not_ready",)},
    ),
    Described(
        method="GET",
        path="/metrics",
        id="getMetrics",
        tag=TAG,
        description="Returns the metrics of this server in the Prometheus text format, or in OpenMetrics if Accept "
        "requests it. Disabled unless CMS_METRICS or CMS_METRICS_TOKEN is set; the token, sent as "
        "`Authorization: Bearer …`, replaces a key.",
        success="The metrics, one per line.",
        answer={"type": "string", "description": "Lines of a name, labels and a value."},
        answer_types=(TEXT,),
        headers=("Cache-Control",),
        codes={404: ("metrics_off",)},
    ),
    Described(
        method="GET",
        path="/openapi.json",
        id="getOpenApiDocument",
        tag=TAG,
        description="Returns this document: every operation of the API in OpenAPI 3.1.",
        success="The document.",
        answer={"type": "object", "description": "An OpenAPI 3.1 document.", "additionalProperties": True},
        uses_database=False,
    ),
)
