import createFetchClient, { type Client as FetchClient } from "openapi-fetch";
import { AnswerError, answerError, type CmsError, ConnectionFailed, connectionFailed } from "./errors.js";
import { OutcomeUnknown, TimedOut, TooManyRequests, Unavailable, unexpected } from "./errors.js";
import type { paths } from "./openapi.js";

/** How often the client retries a request if that is safe, and how long it waits; the wait doubles each time. */
export interface Retries {
  /** Default: 4. */
  times?: number;
  /** Milliseconds. Default: 500. */
  firstWait?: number;
  /** Milliseconds; if `Retry-After` asks for more, the error is raised at once. Default: 30,000. */
  longestWait?: number;
  /** Wait for so many milliseconds, and reject once the signal is aborted. */
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export interface ClientOptions {
  apiKey?: string;
  /** Milliseconds until a request that has no complete response fails with TimedOut. Default: 60,000. */
  timeout?: number;
  retries?: Retries;
  /** Sends the requests, such as through a proxy. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch;
}

export interface CallOptions {
  /** Cancels the call, also while it waits to retry; the call then rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Milliseconds. Default: that of the client. */
  timeout?: number | undefined;
}

export interface ReadOptions extends CallOptions {
  /** ETag of a response that the program has; if it still matches, the call rejects with NotModified. */
  ifNoneMatch?: string | undefined;
}

export interface ChangeOptions extends CallOptions {
  /** ETag of the record as the program has seen it; if it has changed, the call rejects with PreconditionFailed. */
  ifMatch?: string | undefined;
}

export interface CreateOptions extends CallOptions {
  /** Repeating it with the same request within 24 hours returns the first response. Default: a new one per call. */
  idempotencyKey?: string | undefined;
}

/** For keys without the scope, which act for the user that signed in. */
export interface ForUser {
  userToken?: string | undefined;
}

/** All options that become headers. */
type Options = ReadOptions & ChangeOptions & CreateOptions & ForUser & { administratorToken?: string };

type Repeats = "read" | "replaces" | "keyed" | "never";
/** A call of openapi-fetch; of the responses, only those of success are returned. */
export type Call<T> = Promise<{ data?: T; response: Response }>;

const KEY_HEADER = "X-SS-API-KEY";
const IDEMPOTENCY_KEY = "Idempotency-Key";
/** Operations without an API key, whose attempts are counted. */
const ATTEMPT = /\/api\/v1\/(forms|captcha\/.*\/actions\/check|(users|administrators)\/actions\/login)$/;
const OPEN = /\/api\/v1\/(ping|openapi\.json|forms\/styles|captcha\/.*|users\/\d+\/avatar|(users|administrators)\/actions\/login)$/;

/** Sends requests, retries them where that is safe, and turns all failures into errors. */
export class Transport {
  /** All operations of the OpenAPI document, by path. */
  readonly api: FetchClient<paths>;
  readonly #apiKey: string | undefined;
  readonly #fetch: typeof globalThis.fetch;
  readonly #timeout: number;
  readonly #retries: Required<Retries>;
  #keepsKeys: boolean | undefined;

  /** Throws TypeError for an address or a key that cannot be used. */
  constructor(address: string | URL, options: ClientOptions) {
    this.#apiKey = checkedKey(options.apiKey);
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#timeout = options.timeout ?? 60_000;
    const { times = 4, firstWait = 500, longestWait = 30_000, sleep = pause } = options.retries ?? {};
    this.#retries = { times, firstWait, longestWait, sleep };
    this.api = createFetchClient<paths>({
      baseUrl: baseOf(address),
      querySerializer: queryOf,
      fetch: (request) => this.#send(request, this.#timeout),
    });
  }

  get timeout(): number {
    return this.#timeout;
  }

  /** Return the options for a call of `api`. */
  with(options: Options) {
    const timeout = options.timeout ?? this.#timeout;
    return {
      signal: options.signal ?? null,
      fetch: (request: Request) => this.#send(request, timeout),
      headers: {
        "If-None-Match": options.ifNoneMatch,
        "If-Match": options.ifMatch,
        [IDEMPOTENCY_KEY]: options.idempotencyKey,
        "X-SS-USER-TOKEN": options.userToken,
        "X-SS-ADMIN-TOKEN": options.administratorToken,
      },
    };
  }

  async #send(request: Request, timeout: number): Promise<Response> {
    const path = new URL(request.url).pathname.replace(/\/$/, "");
    const repeats = repeatsOf(request, path);
    const headers = new Headers(request.headers);
    headers.set("Accept", "application/json");
    if (this.#apiKey !== undefined && !(OPEN.test(path) && (request.method === "GET" || ATTEMPT.test(path)))) {
      headers.set(KEY_HEADER, this.#apiKey);
    }
    if (repeats === "keyed" && !headers.has(IDEMPOTENCY_KEY)) {
      headers.set(IDEMPOTENCY_KEY, newKey());
    }
    const body = request.method === "GET" || request.method === "HEAD" ? null : await request.arrayBuffer();
    const { method, url, signal } = request;
    const init: RequestInit = {
      method,
      headers,
      body: body?.byteLength ? body : null,
      redirect: "manual", // following one could send the API key to another server
      // A captcha is bound to its cookie; no other operation needs one, and a login cookie must not override the key.
      credentials: path.includes("/captcha/") ? "same-origin" : "omit",
    };
    for (let number = 1; ; number += 1) {
      const outcome = await this.#attempt(url, init, signal, timeout);
      if (outcome instanceof Response) {
        return outcome;
      }
      const needsKey = repeats === "keyed" && !nothingHappened(outcome);
      const wait = this.#waitBefore(number, outcome);
      if (wait === undefined || !isSafe(repeats, outcome) || (needsKey && this.#keepsKeys === false)) {
        throw outcome;
      }
      await this.#retries.sleep(wait, signal);
      if (needsKey && !(await this.#serverKeepsKeys(signal))) {
        throw outcome;
      }
    }
  }

  /** Return the complete response, or the error that it is. Rejects only if the caller's signal is aborted. */
  async #attempt(url: string, init: RequestInit, signal: AbortSignal, timeout: number): Promise<Response | CmsError> {
    const clock = AbortSignal.timeout(timeout);
    try {
      const response = await this.#fetch(url, { ...init, signal: AbortSignal.any([signal, clock]) });
      // The body is read here, because a connection that breaks in the middle of it is a failure to retry, too.
      const body = await response.arrayBuffer();
      if (!response.ok) {
        return answerError(response, new TextDecoder().decode(body));
      }
      return new Response(response.status === 204 ? null : body, response);
    } catch (error) {
      signal.throwIfAborted();
      return clock.aborted ? new TimedOut(`No complete response within ${timeout} ms`, true) : connectionFailed(error);
    }
  }

  #waitBefore(number: number, failure: CmsError): number | undefined {
    const { times, firstWait, longestWait } = this.#retries;
    const asked = failure instanceof AnswerError ? (failure.retryAfter ?? 0) * 1000 : 0;
    if (number > times || asked > longestWait) {
      return undefined;
    }
    // Clients that failed together do not retry together.
    const grown = firstWait * 2 ** (number - 1) * (1 + Math.random() / 4);
    return Math.max(Math.min(grown, longestWait), asked);
  }

  /** Return whether the server supports Idempotency-Keys, as its OpenAPI document says; a definite result is kept. */
  async #serverKeepsKeys(signal: AbortSignal): Promise<boolean> {
    if (this.#keepsKeys === undefined) {
      try {
        const call = await this.api.GET("/api/v1/openapi.json", { signal, parseAs: "text" });
        this.#keepsKeys = String(call.data).includes(`"${IDEMPOTENCY_KEY}"`);
      } catch (error) {
        if (!(error instanceof AnswerError)) {
          signal.throwIfAborted();
          return false;
        }
        if (error.status === 408 || error.status === 429 || error.status >= 500) {
          return false;
        }
        this.#keepsKeys = false;
      }
    }
    return this.#keepsKeys;
  }
}

const etags = new WeakMap<object, string>();

/** Return the body of a response. Throws UnexpectedAnswer if it is not JSON. */
export async function read<T>(call: Call<T>): Promise<{ body: NonNullable<T>; response: Response }> {
  try {
    const { data, response } = await call;
    if (typeof data !== "object" || data === null) {
      throw unexpected(response, "The server answered no JSON object: the base URL may lead elsewhere.");
    }
    return { body: data, response };
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw unexpected(new Response(null), "The server answered no JSON: the base URL may lead elsewhere.");
    }
    throw error;
  }
}

/** Return the member `value` of a response, and remember its ETag. */
export async function valueIn<V>(call: Call<{ value: V }>): Promise<V> {
  const { body, response } = await read(call);
  if (!("value" in body)) {
    throw unexpected(response, "The answer has no member value: the server may be of another interface.");
  }
  return tagged(body.value, response);
}

/** Remember the ETag of the response for a value, if that is an object. */
export function tagged<V>(value: V, response: Response): V {
  const etag = response.headers.get("ETag");
  if (etag !== null && typeof value === "object" && value !== null) {
    etags.set(value, etag);
  }
  return value;
}

/** Return the ETag with which the server sent this record, list or page, for `ifMatch` and `ifNoneMatch`.
 *
 * Throws TypeError if there is none, since a change with an undefined `ifMatch` would overwrite any state.
 */
export function etagOf(value: object): string {
  const etag = etags.get(value);
  if (etag === undefined) {
    throw new TypeError("This value is not the result of a call, or the server sent no ETag with it.");
  }
  return etag;
}

function nothingHappened(failure: CmsError): boolean {
  if (failure instanceof ConnectionFailed) {
    return !failure.wasSent;
  }
  if (!(failure instanceof AnswerError) || failure.retryAfter === undefined || failure instanceof OutcomeUnknown) {
    return false;
  }
  return failure instanceof TooManyRequests || failure.status === 503;
}

function isSafe(repeats: Repeats, failure: CmsError): boolean {
  if (nothingHappened(failure)) {
    return true;
  }
  if (failure instanceof OutcomeUnknown) {
    return repeats === "read" || repeats === "keyed";
  }
  return repeats !== "never" && (failure instanceof ConnectionFailed || failure instanceof Unavailable);
}

function repeatsOf(request: Request, path: string): Repeats {
  switch (request.method) {
    case "GET":
    case "HEAD":
      return path.endsWith("/health/ready") ? "never" : "read"; // to be unavailable is one of its results
    case "PUT":
      // With If-Match, a retry would fail because the first request changed the ETag.
      return request.headers.has("If-Match") ? "never" : "replaces";
    case "POST":
      return path.endsWith("/api/v1/contents") ? "read" : ATTEMPT.test(path) ? "never" : "keyed";
    default:
      return "never"; // a second DELETE is 404
  }
}

/** Encode a query: several values joined by commas, the members of an object by their own names. */
function queryOf(query: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  const add = (name: string, value: unknown): void => {
    if (value === undefined || value === null) {
      return;
    }
    if (typeof value === "object" && !Array.isArray(value)) {
      Object.entries(value).forEach(([member, each]) => add(member, each));
    } else {
      parameters.set(name, String(value));
    }
  };
  Object.entries(query).forEach(([name, value]) => add(name, value));
  return parameters.toString();
}

function baseOf(address: string | URL): string {
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw new TypeError("The base URL begins with http:// or https://, without query, fragment or password.");
  }
  return url.href.replace(/\/+$/, "").replace(/\/api(\/v1)?$/i, "");
}

function checkedKey(key: string | undefined): string | undefined {
  if (key !== undefined && !/^[!-~]+$/.test(key)) {
    // The message does not show the key: even an invalid one is a secret.
    throw new TypeError("apiKey is empty or has characters that no header can carry.");
  }
  return key;
}

/** Return an Idempotency-Key. `crypto.randomUUID` exists only on pages with https. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) {
      stop();
    }
  });
}
