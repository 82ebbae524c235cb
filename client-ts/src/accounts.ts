import { passwordDigest } from "./digests.js";
import { formOf, withForm } from "./forms.js";
import { Listing, sizeOf, windows } from "./listing.js";
import type { Administrator, AdministratorChanges, AdministratorFilters, Login, LogEntry } from "./records.js";
import type { NewAdministrator, NewUser, Page, User, UserChanges, UserFilters } from "./records.js";
import type { Call, CallOptions, ChangeOptions, CreateOptions, ForUser, ReadOptions, Transport } from "./transport.js";
import { read, tagged, valueIn } from "./transport.js";

/** Operations of `client.users`; a `userToken` from `logIn` lets a key without the scope act for that user. */
export class Users {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List users in id order: `await` one page, by default all of them, or `for await` each, 100 per request. */
  list(filters: UserFilters = {}, options: ReadOptions & { perPage?: number } = {}): Listing<User> {
    return listing(filters, options, (query, given) =>
      this.#transport.api.GET("/api/v1/users", { params: { query }, ...this.#transport.with(given) }),
    );
  }

  /** Return a user. */
  get(id: number, options: ReadOptions & ForUser = {}): Promise<User> {
    const params = { path: { id } };
    return valueIn(this.#transport.api.GET("/api/v1/users/{id}", { params, ...this.#transport.with(options) }));
  }

  /** Create a user and return it. */
  create(members: NewUser, options: CreateOptions = {}): Promise<User> {
    return valueIn(this.#transport.api.POST("/api/v1/users", { body: members, ...this.#transport.with(options) }));
  }

  /** Update these members of a user and return the user. Cannot change the password. */
  update(id: number, members: UserChanges, options: ChangeOptions & ForUser = {}): Promise<User> {
    const call = { params: { path: { id } }, body: members, ...this.#transport.with(options) };
    return valueIn(this.#transport.api.PUT("/api/v1/users/{id}", call));
  }

  /** Delete a user permanently and return its last state. */
  delete(id: number, options: ChangeOptions & ForUser = {}): Promise<User> {
    const params = { path: { id } };
    return valueIn(this.#transport.api.DELETE("/api/v1/users/{id}", { params, ...this.#transport.with(options) }));
  }

  /** Upload a GIF, JPEG, PNG, WebP or BMP picture and return the user with its new URL. */
  async uploadAvatar(id: number, picture: Blob, options: CreateOptions & ForUser = {}): Promise<User> {
    const form = await formOf("avatar", picture);
    const body = { avatar: "" }; // the type of the document; the serializer sends the form
    const call = { params: { path: { id } }, body, ...withForm(this.#transport.with(options), form) };
    return valueIn(this.#transport.api.POST("/api/v1/users/{id}/avatar", call));
  }

  /** Return the URL of the user's picture, or of the default picture. Needs no API key. */
  avatarUrl(id: number, options: ReadOptions = {}): Promise<string> {
    const params = { path: { id } };
    return valueIn(this.#transport.api.GET("/api/v1/users/{id}/avatar", { params, ...this.#transport.with(options) }));
  }

  /** Return the user's log entries, newest first. */
  async logs(
    id: number,
    query: { top?: number; skip?: number } = {},
    options: ReadOptions & ForUser = {},
  ): Promise<Page<LogEntry>> {
    const call = { params: { path: { id }, query }, ...this.#transport.with(options) };
    return pageOf(this.#transport.api.GET("/api/v1/users/{id}/logs", call));
  }

  /** Add an entry to the user's log and return it. */
  note(id: number, action: string, summary = "", options: CreateOptions & ForUser = {}): Promise<LogEntry> {
    const call = { params: { path: { id } }, body: { action, summary }, ...this.#transport.with(options) };
    return valueIn(this.#transport.api.POST("/api/v1/users/{id}/logs", call));
  }

  /** Change a user's password, given the old one, and return the user. */
  changePassword(id: number, password: string, newPassword: string, options: CallOptions & ForUser = {}): Promise<User> {
    const call = { params: { path: { id } }, body: { password, newPassword }, ...this.#transport.with(options) };
    return valueIn(this.#transport.api.POST("/api/v1/users/{id}/actions/resetPassword", call));
  }

  /** Change a user's password by user name, email address or mobile number, given the old one, and return the user. */
  async resetPassword(
    account: string,
    password: string,
    newPassword: string,
    options: CallOptions = {},
  ): Promise<User> {
    const call = { body: { account, password: await passwordDigest(password), newPassword }, ...this.#transport.with(options) };
    return valueIn(this.#transport.api.POST("/api/v1/users/actions/resetPassword", call));
  }

  /** Sign a user in by user name, email address or mobile number. */
  logIn(account: string, password: string, options: CallOptions = {}): Promise<Login<User>> {
    const call = { body: { account, password }, ...this.#transport.with(options) };
    return loginOf(this.#transport.api.POST("/api/v1/users/actions/login", call));
  }

  /** Sign the user out and return it; null if the token was no longer valid. */
  logOut(userToken: string, options: CallOptions = {}): Promise<User | null> {
    const given = this.#transport.with({ ...options, userToken });
    return valueIn(this.#transport.api.POST("/api/v1/users/actions/logout", given));
  }
}

/** Operations of `client.administrators`. */
export class Administrators {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List administrators in id order: `await` one page, by default all of them, or `for await` each. */
  list(filters: AdministratorFilters = {}, options: ReadOptions & { perPage?: number } = {}): Listing<Administrator> {
    return listing(filters, options, (query, given) =>
      this.#transport.api.GET("/api/v1/administrators", { params: { query }, ...this.#transport.with(given) }),
    );
  }

  /** Return an administrator. */
  get(id: number, options: ReadOptions = {}): Promise<Administrator> {
    const call = { params: { path: { id } }, ...this.#transport.with(options) };
    return valueIn(this.#transport.api.GET("/api/v1/administrators/{id}", call));
  }

  /** Create an ordinary administrator and return it. */
  create(members: NewAdministrator, options: CreateOptions = {}): Promise<Administrator> {
    const call = { body: members, ...this.#transport.with(options) };
    return valueIn(this.#transport.api.POST("/api/v1/administrators", call));
  }

  /** Update these members of an administrator and return the administrator. Cannot change the password. */
  update(id: number, members: AdministratorChanges, options: ChangeOptions = {}): Promise<Administrator> {
    const call = { params: { path: { id } }, body: members, ...this.#transport.with(options) };
    return valueIn(this.#transport.api.PUT("/api/v1/administrators/{id}", call));
  }

  /** Delete an administrator and its API keys, and return its last state. */
  delete(id: number, options: ChangeOptions = {}): Promise<Administrator> {
    const call = { params: { path: { id } }, ...this.#transport.with(options) };
    return valueIn(this.#transport.api.DELETE("/api/v1/administrators/{id}", call));
  }

  /** Change an administrator's password, given the old one, and return the administrator. */
  async resetPassword(
    account: string,
    password: string,
    newPassword: string,
    options: CallOptions = {},
  ): Promise<Administrator> {
    const call = { body: { account, password: await passwordDigest(password), newPassword }, ...this.#transport.with(options) };
    return valueIn(this.#transport.api.POST("/api/v1/administrators/actions/resetPassword", call));
  }

  /** Sign an administrator in by user name, email address or mobile number; `code` is that of a second factor. */
  logIn(
    account: string,
    password: string,
    { code, ...options }: CallOptions & { code?: string } = {},
  ): Promise<Login<Administrator>> {
    const call = { body: { account, password, ...(code ? { code } : {}) }, ...this.#transport.with(options) };
    return loginOf(this.#transport.api.POST("/api/v1/administrators/actions/login", call));
  }

  /** Sign the administrator out and return it; null if the token was no longer valid. */
  logOut(administratorToken: string, options: CallOptions = {}): Promise<Administrator | null> {
    const given = this.#transport.with({ ...options, administratorToken });
    return valueIn(this.#transport.api.POST("/api/v1/administrators/actions/logout", given));
  }
}

function listing<T extends { id: number }, Filters extends object>(
  filters: Filters,
  options: ReadOptions & { perPage?: number },
  ask: (query: Filters, options: ReadOptions) => Call<{ value: T[]; count?: number }>,
): Listing<T> {
  const { ifNoneMatch: _, perPage, ...others } = options;
  return new Listing(
    () => pageOf(ask(filters, options)),
    () => windows(sizeOf(perPage), (skip, top) => pageOf(ask({ ...filters, skip, top }, others))),
  );
}

async function pageOf<T>(call: Call<{ value: T[]; count?: number }>): Promise<Page<T>> {
  const { body, response } = await read(call);
  return tagged({ records: body.value, total: body.count ?? null, nextCursor: null }, response);
}

async function loginOf<T>(
  call: Call<{ value: T; accessToken: string; expiresAt?: string | null }>,
): Promise<Login<T>> {
  const { body } = await read(call);
  return { record: body.value, accessToken: body.accessToken, expiresAt: body.expiresAt ?? null };
}
