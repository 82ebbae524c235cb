export type { Change, ChangeFeed, ChangeQuery } from "./changes.js";
export type { Picture } from "./captcha.js";
export { Client } from "./client.js";
export type { BatchOptions, FieldOptions } from "./contents.js";
export {
  AnswerError,
  BadRequest,
  CmsError,
  ConnectionFailed,
  type ErrorCode,
  IdempotencyKeyReused,
  NotFound,
  NotModified,
  NotSupported,
  OutcomeUnknown,
  PreconditionFailed,
  type Refusal,
  ServerError,
  TimedOut,
  TooLarge,
  TooManyRequests,
  Unauthorized,
  Unavailable,
  UnexpectedAnswer,
} from "./errors.js";
export type { Listing } from "./listing.js";
export type { FileOptions, UploadOptions } from "./media.js";
export type { components, operations, paths } from "./openapi.js";
export type * from "./records.js";
export { allOf, anyOf, not, type Operator, type Order, order, type Rule, type Scalar, where } from "./rules.js";
export type { CallOptions, ChangeOptions, ClientOptions, CreateOptions, ForUser, ReadOptions, Retries } from "./transport.js";
export { etagOf } from "./transport.js";
export type { SubmitOptions } from "./visitor_forms.js";
