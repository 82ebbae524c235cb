import { formOf, withForm } from "./forms.js";
import { cursors, Listing, sizeOf } from "./listing.js";
import type {
  Media,
  MediaChanges,
  MediaFilters,
  MediaTexts,
  Page,
  Rendition,
  RenditionOptions,
  Upload,
  Uses,
} from "./records.js";
import type { Call, ChangeOptions, CreateOptions, ReadOptions, Transport } from "./transport.js";
import { read, tagged, valueIn } from "./transport.js";

/** A file to upload; `name` is needed unless it is a `File`. */
export interface FileOptions {
  name?: string | undefined;
}

export interface UploadOptions extends CreateOptions {
  /** Store the file even if the site has the same bytes. */
  copy?: boolean | undefined;
}

/** Operations of `client.media`, with a key that has the scope `Media`. */
export class MediaFiles {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List files, newest first: `await` one page, by default 20 files, or `for await` each, by cursor. */
  list(siteId: number, filters: MediaFilters = {}, options: ReadOptions & { perPage?: number } = {}): Listing<Media> {
    const { ifNoneMatch: _, perPage, ...others } = options;
    const ask = (query: MediaFilters & { cursor?: string }, given: ReadOptions): Promise<Page<Media>> => {
      const params = { path: { siteId }, query };
      return pageOf(this.#transport.api.GET("/api/v1/media/{siteId}", { params, ...this.#transport.with(given) }));
    };
    const { skip: __, ...chosen } = filters;
    return new Listing(
      () => ask(filters, options),
      () => cursors((cursor) => ask({ ...chosen, top: sizeOf(perPage), cursor }, others)),
    );
  }

  /** Return a file. */
  get(siteId: number, id: number, options: ReadOptions = {}): Promise<Media> {
    const call = { params: { path: { siteId, id } }, ...this.#transport.with(options) };
    return valueIn(this.#transport.api.GET("/api/v1/media/{siteId}/{id}", call));
  }

  /** Upload a file. */
  async upload(
    siteId: number,
    file: Blob | Uint8Array,
    texts: MediaTexts = {},
    { name, copy, ...options }: UploadOptions & FileOptions = {},
  ): Promise<Upload> {
    const form = await formOf("file", blobOf(file), nameOf(file, name), texts);
    const params = { path: { siteId }, query: copy ? { copy } : {} };
    // An empty body for the types; the serializer sends the form.
    const call = { params, body: {}, ...withForm(this.#transport.with(options), form) };
    return uploadOf(this.#transport.api.POST("/api/v1/media/{siteId}", call));
  }

  /** Let the server fetch a file from an address of the public Internet. */
  uploadFromUrl(
    siteId: number,
    sourceUrl: string,
    members: MediaChanges = {},
    { name, copy, ...options }: UploadOptions & FileOptions = {},
  ): Promise<Upload> {
    const params = { path: { siteId }, query: copy ? { copy } : {} };
    const body = { ...members, sourceUrl, ...(name === undefined ? {} : { name }) };
    const call = { params, body, ...this.#transport.with(options) };
    return uploadOf(this.#transport.api.POST("/api/v1/media/{siteId}", call));
  }

  /** Update these members of a file, with null no focal point, and return it. */
  update(siteId: number, id: number, members: MediaChanges, options: ChangeOptions = {}): Promise<Media> {
    const call = { params: { path: { siteId, id } }, body: members, ...this.#transport.with(options) };
    return valueIn(this.#transport.api.PUT("/api/v1/media/{siteId}/{id}", call));
  }

  /** Replace the bytes of a file by those of a file of the same type; its address stays. */
  async replace(
    siteId: number,
    id: number,
    file: Blob | Uint8Array,
    { name, ...options }: CreateOptions & ChangeOptions & FileOptions = {},
  ): Promise<Media> {
    const form = await formOf("file", blobOf(file), nameOf(file, name));
    const call = { params: { path: { siteId, id } }, body: {}, ...withForm(this.#transport.with(options), form) };
    return valueIn(this.#transport.api.POST("/api/v1/media/{siteId}/{id}/file", call));
  }

  /** Move a file to the trash and return it. */
  delete(siteId: number, id: number, options: ChangeOptions = {}): Promise<Media> {
    const call = { params: { path: { siteId, id } }, ...this.#transport.with(options) };
    return valueIn(this.#transport.api.DELETE("/api/v1/media/{siteId}/{id}", call));
  }

  /** Return the signed address of a picture in any size, and in another format or quality. */
  rendition(siteId: number, id: number, query: RenditionOptions = {}, options: ReadOptions = {}): Promise<Rendition> {
    const call = { params: { path: { siteId, id }, query }, ...this.#transport.with(options) };
    return valueIn(this.#transport.api.GET("/api/v1/media/{siteId}/{id}/rendition", call));
  }

  /** Return a page of the texts that have the address of a file; `nextCursor` leads to the next page. */
  async uses(
    siteId: number,
    id: number,
    { cursor = "", top = 100, ...options }: ReadOptions & { cursor?: string; top?: number } = {},
  ): Promise<Uses> {
    const call = { params: { path: { siteId, id }, query: { cursor, top } }, ...this.#transport.with(options) };
    const { body, response } = await read(this.#transport.api.GET("/api/v1/media/{siteId}/{id}/uses", call));
    const page = { records: body.value, total: null, nextCursor: body.nextCursor ?? null };
    return tagged({ ...page, isComplete: body.isComplete }, response);
  }
}

function blobOf(file: Blob | Uint8Array): Blob {
  return file instanceof Blob ? file : new Blob([file as BlobPart]);
}

function nameOf(file: Blob | Uint8Array, name: string | undefined): string {
  const found = name ?? ("name" in file ? String(file.name) : "");
  if (!found) {
    throw new TypeError("The file has no name; give options.name, such as photo.jpg.");
  }
  return found;
}

async function pageOf(call: Call<{ value: Media[]; count?: number; nextCursor?: string | null }>): Promise<Page<Media>> {
  const { body, response } = await read(call);
  return tagged({ records: body.value, total: body.count ?? null, nextCursor: body.nextCursor ?? null }, response);
}

async function uploadOf(call: Call<{ value?: Media; isExisting?: boolean }>): Promise<Upload> {
  const { body } = await read(call);
  const file = await valueIn(call as Call<{ value: Media }>);
  return { file, isExisting: body.isExisting === true };
}
