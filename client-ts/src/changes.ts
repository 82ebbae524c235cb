import type { components } from "./openapi.js";
import { type CallOptions, read, type Transport } from "./transport.js";

/** A change of a content, channel, site or user. */
export type Change = components["schemas"]["Change"];

export interface ChangeQuery extends CallOptions {
  /** Default: every site of the key. */
  siteId?: number | undefined;
  /** Cursor of an earlier feed, id of a change, or "start" for the oldest stored change. Default: from now on. */
  after?: string | number | undefined;
  /** Number of changes per response. Default: that of the server. */
  limit?: number | undefined;
  /** Seconds that the server waits for a change before it responds without one. 0 ends the loop after the last change.
   *
   * Default: 30.
   */
  wait?: number | undefined;
}

/** The changes that the key may see, as they happen: `for await` waits for further ones, until its signal is aborted.
 *
 * `cursor` moves when the loop asks for the change after the one that it has. Keep it, and a feed that begins there
 * continues without losing a change. So does another loop over the same feed, such as after an error.
 */
export class ChangeFeed implements AsyncIterable<Change> {
  readonly #transport: Transport;
  readonly #query: ChangeQuery;
  #cursor: string | undefined;

  constructor(transport: Transport, query: ChangeQuery) {
    this.#transport = transport;
    this.#query = query;
    this.#cursor = query.after === undefined ? undefined : String(query.after);
  }

  get cursor(): string | undefined {
    return this.#cursor;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Change> {
    for (;;) {
      const page = await this.#next();
      for (const change of page.changes) {
        yield change;
        this.#cursor = String(change.id);
      }
      this.#cursor = page.nextCursor;
      if (this.#query.wait === 0 && !page.hasMore) {
        return;
      }
    }
  }

  async #next(): Promise<components["schemas"]["Changes"]> {
    const { siteId, limit, signal, wait = 30, timeout = this.#transport.timeout } = this.#query;
    const query = { siteId, after: this.#cursor, limit, wait };
    const given = this.#transport.with({ signal, timeout: timeout + wait * 1000 });
    return (await read(this.#transport.api.GET("/api/v1/changes", { params: { query }, ...given }))).body;
  }
}
