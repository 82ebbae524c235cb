import type { Channel, ChannelChanges, NewChannel } from "./records.js";
import { type ChangeOptions, type CreateOptions, type ReadOptions, type Transport, valueIn } from "./transport.js";

/** Operations of `client.channels`. */
export class Channels {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Return the children of the home channel, each with its own `children`. */
  tree(siteId: number, options: ReadOptions = {}): Promise<Channel[]> {
    const params = { path: { siteId } };
    return valueIn(this.#transport.api.GET("/api/v1/channels/{siteId}", { params, ...this.#transport.with(options) }));
  }

  /** Return a channel with its descendants. */
  get(siteId: number, channelId: number, options: ReadOptions = {}): Promise<Channel> {
    const params = { path: { siteId, channelId } };
    const path = "/api/v1/channels/{siteId}/{channelId}";
    return valueIn(this.#transport.api.GET(path, { params, ...this.#transport.with(options) }));
  }

  /** Create a channel below `parentId`, by default below the home channel, and return it. */
  create(siteId: number, members: NewChannel, options: CreateOptions = {}): Promise<Channel> {
    const params = { path: { siteId } };
    const path = "/api/v1/channels/{siteId}";
    return valueIn(this.#transport.api.POST(path, { params, body: members, ...this.#transport.with(options) }));
  }

  /** Update these members and return the channel. */
  update(siteId: number, channelId: number, members: ChannelChanges, options: ChangeOptions = {}): Promise<Channel> {
    const params = { path: { siteId, channelId } };
    const path = "/api/v1/channels/{siteId}/{channelId}";
    return valueIn(this.#transport.api.PUT(path, { params, body: members, ...this.#transport.with(options) }));
  }

  /** Delete a channel with its descendants and contents, and return its last state. */
  delete(siteId: number, channelId: number, options: ChangeOptions = {}): Promise<Channel> {
    const params = { path: { siteId, channelId } };
    const path = "/api/v1/channels/{siteId}/{channelId}";
    return valueIn(this.#transport.api.DELETE(path, { params, ...this.#transport.with(options) }));
  }

  /** Move a channel before a sibling or to the end, under the same parent or another, and return it. */
  move(
    siteId: number,
    channelId: number,
    to: { parentId?: number; before?: number | null },
    options: ChangeOptions & CreateOptions = {},
  ): Promise<Channel> {
    const params = { path: { siteId, channelId } };
    const body = { before: null, ...to };
    const path = "/api/v1/channels/{siteId}/{channelId}/actions/move";
    return valueIn(this.#transport.api.POST(path, { params, body, ...this.#transport.with(options) }));
  }
}
