"""Builds the operation objects of the document."""

from http import HTTPStatus

from core.openapi.describing import JSON, Body, Described, Link, Parameter, Schema, ref
from core.rest.operations import PREFIX, Operation
from tools.openapi import common
from tools.openapi.errors import codes_of, words_for_people
from tools.openapi.examples import Examples
from tools.openapi.kinds import has_tag, takes_idempotency_key, takes_if_match


def operation_object(operation: Operation, described: Described, examples: Examples) -> Schema:
    """Return the complete operation object."""
    shown: Schema = {
        "operationId": described.id,
        "summary": _sentence(str(operation.summary)),
        "description": f"{described.description}\n\n{_access(operation)}",
        "tags": [described.tag],
        "parameters": [each.shown() for each in _parameters(operation, described)],
    }
    if described.body is not None:
        shown["requestBody"] = _body(described.body, examples.requests(described.id))
    shown["responses"] = _responses(operation, described, examples)
    shown["security"] = _security(operation)
    shown |= {"deprecated": True} if operation.is_deprecated else {}
    if operation.alias_of:
        method, path = operation.alias_of
        shown["x-alias-of"] = f"{method} {PREFIX}{path}"
    return shown | ({"x-scope": _scope(operation)} if operation.scope else {})


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


# ---- access


def _scope(operation: Operation) -> str:
    return f"{operation.scope}:{'read' if operation.is_read else 'write'}"


def _access(operation: Operation) -> str:
    if not operation.needs_key:
        return "Public; ignores any API key."
    if not operation.scope:
        return f"Requires a valid API key{', or a valid access token' if operation.token_scheme else ''}."
    optional = "; without a key, only what is public" if operation.key_is_optional else ""
    owner = ", or that user's access token" if operation.owner_is_enough else ""
    return f"Scope: `{_scope(operation)}`{owner}{optional}."


def _security(operation: Operation) -> list[Schema]:
    if not operation.needs_key:
        return []
    ways: list[Schema] = [{"ApiKeyHeader": []}, {"BearerApiKey": []}, {"ApiKeyQuery": []}]
    if operation.key_is_optional:
        ways.append({})
    return [*ways, {operation.token_scheme: []}] if operation.token_scheme else ways


# ---- requests


def _parameters(operation: Operation, described: Described) -> list[Parameter]:
    parameters = list(described.parameters)
    if has_tag(operation):
        parameters.append(common.IF_NONE_MATCH)
    if takes_if_match(operation):
        parameters.append(common.IF_MATCH)
    if takes_idempotency_key(operation):
        parameters.append(common.IDEMPOTENCY_KEY)
    return parameters


def _body(body: Body, examples: Schema) -> Schema:
    content = {"schema": body.schema} | ({"encoding": body.encoding} if body.encoding else {})
    contents = {body.media_type: content | ({"examples": examples} if examples else {})}
    if body.form is not None:
        contents["multipart/form-data"] = {"schema": body.form}
    return {"description": body.description, "required": body.is_required, "content": contents}


# ---- answers


def _responses(operation: Operation, described: Described, examples: Examples) -> Schema:
    responses: Schema = {"200": _success(operation, described, examples)}
    if has_tag(operation):
        responses["304"] = {
            "description": "Not modified: If-None-Match has the current ETag. No body.",
            "headers": _headers("ETag", "Cache-Control", "X-Request-Id", *_deprecation(operation)),
        }
    for status, words in codes_of(operation, described).items():
        responses[str(status)] = _refusal(operation, described, status, words, examples)
    return responses


def _success(operation: Operation, described: Described, examples: Examples) -> Schema:
    names = ["X-Request-Id", *described.headers]
    if has_tag(operation) or (takes_if_match(operation) and operation.original[0] == "PUT"):
        names.append("ETag")
    if has_tag(operation):
        names.append("Cache-Control")
    if takes_idempotency_key(operation):
        names.append("Idempotency-Replayed")
    if operation.needs_key:
        names += ["RateLimit", "RateLimit-Policy"]
    names += _deprecation(operation)
    content: Schema = {"schema": described.answer}
    if found := examples.answers(described.id, 200):
        content["examples"] = found
    shown: Schema = {
        "description": described.success,
        "headers": _headers(*names),
        "content": dict.fromkeys(described.answer_types, content),
    }
    return shown | ({"links": {each.operation: _link(each) for each in described.links}} if described.links else {})


def _link(link: Link) -> Schema:
    return {"operationId": link.operation, "parameters": dict(link.parameters), "description": link.description}


def _refusal(operation: Operation, described: Described, status: int, words: list[str], examples: Examples) -> Schema:
    content: Schema = {"schema": ref("Error")}
    if found := examples.answers(described.id, status) or examples.shared_of(status, words):
        content["examples"] = found
    headers = _headers(*_names_of_headers(operation, status))
    described_status: Schema = {"description": words_for_people(status, words)}
    # One schema for all errors: a type for each status of each operation would bloat generated clients.
    return described_status | ({"headers": headers} if headers else {}) | {"content": {JSON: content}, "x-codes": words}


def _names_of_headers(operation: Operation, status: int) -> list[str]:
    if status == HTTPStatus.REQUEST_TIMEOUT:
        return []  # the server sends this response before the request has an id
    further = {
        HTTPStatus.UNAUTHORIZED: ["WWW-Authenticate"],
        HTTPStatus.PRECONDITION_FAILED: ["ETag"],
        HTTPStatus.TOO_MANY_REQUESTS: ["Retry-After"],
        HTTPStatus.SERVICE_UNAVAILABLE: ["Retry-After"],
    }
    limits = ["RateLimit", "RateLimit-Policy"] if operation.needs_key else []
    return ["X-Request-Id", *further.get(HTTPStatus(status), []), *limits, *_deprecation(operation)]


def _deprecation(operation: Operation) -> list[str]:
    return list(common.DEPRECATION_HEADERS) if operation.is_deprecated else []


def _headers(*names: str) -> Schema:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
