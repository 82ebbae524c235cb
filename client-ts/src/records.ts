import type { components, operations } from "./openapi.js";

type Schemas = components["schemas"];
type Query<Name extends keyof operations> = NonNullable<operations[Name]["parameters"]["query"]>;

export type Administrator = Schemas["Administrator"];
export type Channel = Schemas["Channel"];
export type Content = Schemas["Content"];
export type FormDefinition = Schemas["FormDefinition"];
export type FormEntry = Schemas["FormEntry"];
export type FormEntryChanges = Schemas["FormEntryChanges"];
export type Health = Schemas["Readiness"];
export type LogEntry = Schemas["LogEntry"];
export type Media = Schemas["Media"];
export type MediaUse = Schemas["MediaUse"];
export type Rendition = Schemas["Rendition"];
export type Row = Schemas["SqlRow"];
export type Site = Schemas["Site"];
export type User = Schemas["User"];
export type VisitorForm = Schemas["Form"];

type Known<T> = keyof { [Name in keyof T as string extends Name ? never : number extends Name ? never : Name]: 1 };

/** The members of a content that `fields` names; for names that are no literals, none is sure. */
export type ContentPart<Name extends string = string> = Schemas["ContentPart"] &
  Pick<Content, Extract<Name, Known<Content>>>;

/** What a request with these `fields` returns. */
export type Chosen<Fields> = Fields extends readonly (infer Name extends string)[] ? ContentPart<Name> : Content;

export type ContentList = Schemas["ContentListRequest"];
export type FoundContent = Schemas["FoundContent"];
export type Suggestion = Schemas["Suggestion"];
/** Place, page and filters of a search; its matches are counted by `facets`. */
export type SearchOptions = Omit<Query<"searchContents">, "q" | "siteId">;
export type UserFilters = Query<"listUsers">;
export type AdministratorFilters = Query<"listAdministrators">;

/** `top` and `skip` choose the page that `await` returns. */
export type MediaFilters = Omit<Query<"listMedia">, "cursor">;

export type EntryFilters = Omit<Query<"listFormEntries">, "siteId" | "formId" | "formName" | "page" | "perPage">;
/** What a form returns to its sender. */
export type SentForm = operations["submitForm"]["responses"][200]["content"]["application/json"];

/** Largest sides, way of fitting, format and quality of a picture. */
export type RenditionOptions = Query<"getRendition">;

export type NewContent = Schemas["NewContent"];
export type ContentChanges = Schemas["ContentChanges"];
export type NewChannel = Schemas["NewChannel"];
export type ChannelChanges = Schemas["ChannelChanges"];
export type NewUser = Schemas["NewUser"];
export type UserChanges = Schemas["UserChanges"];
export type NewAdministrator = Schemas["NewAdministrator"];
export type AdministratorChanges = Schemas["AdministratorChanges"];

export type MediaChanges = Schemas["MediaChanges"];
/** Members that an upload may have beside its file. */
export type MediaTexts = Omit<MediaChanges, "focalPoint">;

/** One page of a list. */
export interface Page<T> {
  records: T[];
  /** Number of matches on all pages; null if they were not counted. */
  total: number | null;
  /** Cursor of the next page, if the request had one; null on the last page. */
  nextCursor: string | null;
}

/** A page of a search, best first; `facets` if the request had them. */
export interface FoundPage extends Page<FoundContent> {
  /** False if there are more contents than `total`. */
  isTotalExact: boolean;
  facets: Schemas["Facets"] | null;
  /** The query with corrected words, if nothing was found and this query finds something. */
  didYouMean: string | null;
}

/** A page of uses of a file; false `isComplete` means that the server still searches texts, and some may be missing. */
export interface Uses extends Page<MediaUse> {
  isComplete: boolean;
}

/** The file of an upload; `isExisting`: the site had the same bytes, and the file is returned unchanged. */
export interface Upload {
  file: Media;
  isExisting: boolean;
}

/** The signed-in account, and the token that authenticates it. */
export interface Login<T> {
  record: T;
  accessToken: string;
  expiresAt: string | null;
}

/** Rows of a SELECT; `isTruncated` if it has more than the server returns. */
export type Rows = Row[] & { isTruncated: boolean };
