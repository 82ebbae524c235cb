"""What no resource owns, in the OpenAPI document: availability, restart, health, figures, and the document itself."""

from cms_api.openapi.describing import TEXT, Described, Schema, list_of, record, ref, value_of

TAG = "Service"

_PROBES = list_of(ref("Probe")) | {
    "description": "What was looked at. Only for requests from the server's own machine and for keys of System:read."
}


def _status(*words: str) -> Schema:
    return {"type": "string", "enum": list(words), "description": "How the server is, in one word."}


SCHEMAS: dict[str, Schema] = {
    "Probe": record(
        {
            "name": {
                "type": "string",
                "description": "What was looked at: database, migrations, disk, media or cache.",
            },
            "state": {
                "type": "string",
                "enum": ["ok", "degraded", "failed"],
                "description": "ok, degraded where something stands in for it, or failed.",
            },
            "milliseconds": {
                "type": "number",
                "format": "double",
                "minimum": 0,
                "description": "How long the look took, in milliseconds.",
            },
            "message": {"type": "string", "description": "What was found, as a sentence."},
        }
    ),
    "Readiness": record({"status": _status("ready", "degraded"), "probes": _PROBES}, required=["status"]),
    "Liveness": record({"status": _status("live")}),
}

OPERATIONS = (
    Described(
        method="GET",
        path="/ping",
        id="ping",
        tag=TAG,
        description="Answers the bare text pong while the service is there. It looks at nothing else.",
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
        description="Restarts the service on every node with the code that lies there now, without dropping a "
        "request. The answer is given before it begins; code that cannot start is not taken, and the present one "
        "goes on.",
        success="Whether the restart will come.",
        answer=value_of({"type": "boolean"}, "Whether the restart will come."),
    ),
    Described(
        method="GET",
        path="/health/live",
        id="getLiveness",
        tag=TAG,
        description="Answers while the process does; it asks neither the database nor anything else. A load balancer "
        "that gets no answer should start the server anew.",
        success="The process answers.",
        answer=value_of(ref("Liveness"), "How the process is."),
        headers=("Cache-Control",),
        uses_database=False,
    ),
    Described(
        method="GET",
        path="/health/ready",
        id="getReadiness",
        tag=TAG,
        description="Tells whether requests should be sent to this server: whether its database, migrations, disk "
        "and store of files are well. The details are for the server's own machine and for keys with the scope "
        "`System:read`.",
        success="The server is ready to serve.",
        answer=value_of(ref("Readiness"), "How the server is."),
        headers=("Cache-Control",),
        codes={503: ("not_ready",)},
    ),
    Described(
        method="GET",
        path="/metrics",
        id="getMetrics",
        tag=TAG,
        description="Lists the figures of this server for Prometheus, in its text format or, where Accept asks for "
        "it, in OpenMetrics. It is off unless CMS_METRICS or CMS_METRICS_TOKEN is set; the token of the latter, sent "
        "as `Authorization: Bearer …`, stands for a key.",
        success="The figures, one a line.",
        answer={"type": "string", "description": "Lines of a name, labels and a number."},
        answer_types=(TEXT,),
        headers=("Cache-Control",),
        codes={404: ("metrics_off",)},
    ),
    Described(
        method="GET",
        path="/openapi.json",
        id="getOpenApiDocument",
        tag=TAG,
        description="Answers this document: every operation of the API in OpenAPI 3.1.",
        success="The document.",
        answer={"type": "object", "description": "A document in OpenAPI 3.1.", "additionalProperties": True},
        uses_database=False,
    ),
)
