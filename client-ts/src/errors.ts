import type { components } from "./openapi.js";

/** Codes of the service; `string` keeps programs compiling when a newer service sends another one. */
export type ErrorCode = components["schemas"]["ErrorCode"] | (string & {});

/** Base class of all errors that a request can raise. None holds the request, whose headers contain the API key. */
export class CmsError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** The connection could not be established or was lost. If `wasSent`, the server may have processed the request. */
export class ConnectionFailed extends CmsError {
  constructor(
    message: string,
    readonly wasSent: boolean,
  ) {
    super(message);
  }
}

/** The server did not respond before the client's timeout. */
export class TimedOut extends ConnectionFailed {}

/** The details of an error response; what the server does not send is undefined. */
export interface Refusal {
  status: number;
  message: string;
  code?: ErrorCode | undefined;
  requestId?: string | undefined;
  /** Seconds. */
  retryAfter?: number | undefined;
  etag?: string | undefined;
  /** Members of the body. */
  members: Readonly<Record<string, unknown>>;
}

/** The server responded with an error, or with something that the client cannot read. */
export class AnswerError extends CmsError {
  readonly status: number;
  readonly code: ErrorCode | undefined;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly etag: string | undefined;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.status = refusal.status;
    this.code = refusal.code;
    this.requestId = refusal.requestId;
    this.retryAfter = refusal.retryAfter;
    this.etag = refusal.etag;
    this.members = refusal.members;
  }
}

/** 304: the record is unchanged; its ETag still matches `ifNoneMatch`. */
export class NotModified extends AnswerError {}

/** 400: the request is wrong; nothing was stored. */
export class BadRequest extends AnswerError {}

/** 401, 403: the API key is missing, invalid, or not authorised for this request. */
export class Unauthorized extends AnswerError {}

/** 404: the record does not exist. */
export class NotFound extends AnswerError {}

/** 405, or 404 for the route: the server, such as an older release, lacks this operation. */
export class NotSupported extends AnswerError {}

/** 412: the record has changed since `ifMatch`; nothing was stored. */
export class PreconditionFailed extends AnswerError {
  /** The current record; `etag` is its ETag. */
  get record(): unknown {
    return this.members.value;
  }

  /** The current version number of a content or channel; undefined for other records. */
  get version(): number | undefined {
    return this.members.version as number | undefined;
  }
}

/** 413: the body or file exceeds the server's limit. */
export class TooLarge extends AnswerError {}

/** 422: a different request used this Idempotency-Key within the last 24 hours; nothing was stored. */
export class IdempotencyKeyReused extends AnswerError {}

/** 429: a rate limit is reached; `retryAfter` is the time to wait, in seconds. */
export class TooManyRequests extends AnswerError {}

/** 502, 503, 504: the server is temporarily unavailable. */
export class Unavailable extends AnswerError {}

/** 503: the server lost its database while storing a change; check whether the change was stored. */
export class OutcomeUnknown extends Unavailable {}

/** 500 and other server errors without a class of their own. */
export class ServerError extends AnswerError {}

/** The response does not follow this interface: a page instead of JSON, or a redirect. */
export class UnexpectedAnswer extends AnswerError {}

const BY_STATUS: Readonly<Record<number, typeof AnswerError>> = {
  304: NotModified,
  400: BadRequest,
  401: Unauthorized,
  403: Unauthorized,
  404: NotFound,
  405: NotSupported,
  412: PreconditionFailed,
  413: TooLarge,
  422: IdempotencyKeyReused,
  429: TooManyRequests,
  502: Unavailable,
  503: Unavailable,
  504: Unavailable,
};
const BY_CODE: Readonly<Record<string, typeof AnswerError>> = {
  outcome_unknown: OutcomeUnknown,
  route_not_found: NotSupported,
};
// Undici and Node name failures before the request was sent; browsers name none.
const NOT_SENT = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS_)/;

/** Return the error for a response whose status is not one of success. */
export function answerError(response: Response, body: string): AnswerError {
  const members = objectOf(body);
  if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400 && response.status !== 304)) {
    const message = "The server redirects; give the address that it redirects to as the base URL.";
    return new UnexpectedAnswer({ ...refusalOf(response, members), message });
  }
  return errorOf(refusalOf(response, members));
}

/** Return the error for one item of a batch. */
export function itemError(response: Response, status: number, members: Record<string, unknown>): AnswerError {
  return errorOf({ ...refusalOf(response, members), status });
}

/** Return the error for a successful response that the client cannot read. */
export function unexpected(response: Response, message: string): UnexpectedAnswer {
  return new UnexpectedAnswer({ ...refusalOf(response, {}), message });
}

/** Return the error for a `fetch` that gave no response. */
export function connectionFailed(error: unknown): ConnectionFailed {
  const cause = (error as { cause?: { code?: unknown } }).cause?.code;
  const told = typeof cause === "string" ? cause : error instanceof Error ? error.message : String(error);
  return new ConnectionFailed(`The connection failed: ${told}`, !NOT_SENT.test(told));
}

function errorOf(refusal: Refusal): AnswerError {
  const other = refusal.status >= 500 ? ServerError : AnswerError;
  return new ((refusal.code && BY_CODE[refusal.code]) || BY_STATUS[refusal.status] || other)(refusal);
}

function refusalOf(response: Response, members: Record<string, unknown>): Refusal {
  const { code, message } = members;
  const told = typeof message === "string" && message;
  return {
    status: response.status,
    message: told || `The server answered ${response.status} and did not say why.`,
    code: typeof code === "string" ? code : undefined,
    requestId: response.headers.get("X-Request-Id") ?? undefined,
    retryAfter: secondsOf(response.headers.get("Retry-After")),
    etag: response.headers.get("ETag") ?? undefined,
    members,
  };
}

function objectOf(body: string): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(body);
    return typeof read === "object" && read !== null && !Array.isArray(read) ? { ...read } : {};
  } catch {
    return {};
  }
}

function secondsOf(header: string | null): number | undefined {
  if (header === null || header.trim() === "") {
    return undefined;
  }
  const seconds = /^\s*\d+\s*$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(seconds, 0);
}
