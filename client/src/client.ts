import type { Api, LogEvent, Stats } from "./api.ts";
import { batch } from "./batch.ts";
import { changes, mirror } from "./change.ts";
import { Entries } from "./entry.ts";
import type { OrUndefined } from "./field.ts";
import { Files } from "./file.ts";
import { Folders } from "./folder.ts";
import { fileUrl, imageUrl, srcset } from "./image.ts";
import { People, Roles } from "./person.ts";
import type {
  BatchAnswers,
  BatchOperation,
  BatchOptions,
  CallOptions,
  Change,
  ChangeOptions,
  ClientConfig,
  ImageArguments,
  Mirror,
  MirrorOptions,
  Picture,
  Reply,
  SrcsetArguments,
  WriteOptions,
} from "./public.ts";
import { Registry } from "./registry.ts";
import { Releases } from "./release.ts";
import type { AnySchema, TypedEntries, TypedTranslations } from "./schema.ts";
import { Sessions } from "./session.ts";
import { Tokens } from "./token.ts";
import { Translations } from "./translation.ts";
import { Transport } from "./transport.ts";
import { Trash } from "./trash.ts";
import { Types } from "./type.ts";
import { Views } from "./view.ts";
import { Webhooks } from "./webhook.ts";

export type {
  ContentType,
  FileObject,
  FolderObject,
  HistoryRow,
  LogEvent,
  Migration,
  MigrationStep,
  MigrationUndo,
  OutdatedKey,
  OwnPerson,
  OwnSession,
  Passkey,
  PasskeyOptions,
  Person,
  PersonWithLink,
  ProblemCode,
  RecentEntry,
  Reference,
  Release,
  Role,
  SearchMatch,
  Session,
  StagedRow,
  Stats,
  Token,
  TokenWithSecret,
  Translation,
  TranslationCounts,
  TranslationRow,
  TrashItem,
  TypeCheck,
  View,
  Webhook,
  WebhookAttempt,
  WebhookWithSecret,
} from "./api.ts";
export type { Condition, Conjunction, Filter, Moment, Where } from "./condition.ts";
export type { Fields } from "./field.ts";
export { condition, where, whereOf } from "./filter.ts";
export { exactJson } from "./json.ts";
export { localesOf } from "./locale.ts";
export { type DataFault, type Fault, OctavoConnectionError, OctavoProblem } from "./problem.ts";
export type * from "./public.ts";
export type { AnySchema, EntryOf, TypedEntries, TypedTranslations, TypeOf } from "./schema.ts";
export { etagOf } from "./transport.ts";

/**
 * A client of one service, with one set of tokens. Every method rejects with an OctavoProblem when the service refuses,
 * with an OctavoConnectionError when it does not answer, and with the signal's reason when it was aborted. Throws
 * RangeError for an invalid `url`. With a type argument, which `octavo types generate` makes, the fields and references
 * of entries follow from their ids.
 */
export function createClient<S extends AnySchema = never>(config: ClientConfig): Octavo<S> {
  return clientOf(config) as Octavo<S>;
}

function clientOf(config: ClientConfig) {
  const transport = new Transport(config);
  const { url } = transport;
  return {
    entries: new Entries(transport),
    files: new Files(transport),
    folders: new Folders(transport),
    registry: new Registry(transport),
    releases: new Releases(transport),
    translations: new Translations(transport),
    trash: new Trash(transport),
    types: new Types(transport),
    tokens: new Tokens(transport),
    sessions: new Sessions(transport),
    people: new People(transport),
    roles: new Roles(transport),
    views: new Views(transport),
    webhooks: new Webhooks(transport),

    /**
     * Makes up to 1,000 writes in order, all of them or none, in one request:
     * `batch([{ call: "DELETE /api/entries", args: { id: "a" } }])`. The problem of the first that is refused names its
     * `operation`; then nothing is written.
     */
    batch: <const T extends readonly BatchOperation[]>(
      operations: T,
      options?: BatchOptions,
    ): Promise<BatchAnswers<T>> => batch(transport, operations, options),

    /** The log of all writes, oldest first. Needs a management token with `admin`. */
    async events(
      query: OrUndefined<Api["GET /api/events"]["arguments"]> = {},
      options?: CallOptions,
    ): Promise<LogEvent[]> {
      return transport.call("GET /api/events", query, options);
    },

    /**
     * All entries that are public to the token, then what changes, for ever or until `follow: false` has all of it. Keep
     * the `cursor` of each change that you have handled, and begin with it after a restart; then that change, or some before
     * it, may come again. Throws feed_too_old for one that is too old: begin without.
     */
    changes: (options?: ChangeOptions): AsyncGenerator<Change, void, undefined> => changes(transport, options),

    /** A map of all entries that are public to the token, complete when the promise resolves, and kept in step. */
    mirror: (options?: MirrorOptions): Promise<Mirror> => mirror(transport, options),

    /**
     * Statistics of the running service; with `check` after reading the whole SQLite file. Needs a management token
     * with `admin`.
     */
    async stats({ check, ...options }: CallOptions & { check?: boolean } = {}): Promise<Stats> {
      return transport.call("GET /api/stats", { ...(check !== undefined && { check }) }, options);
    },

    /** The URL of a rendition: `imageUrl("movies/solaris.jpg", { w: 400, fm: "webp" })`. */
    imageUrl: (picture: Picture, args: ImageArguments = {}): string => imageUrl(url, config.imagesToken, picture, args),

    /** An image in several widths, for the `srcset` of an `<img>`. */
    srcset: (picture: Picture, args: SrcsetArguments): string => srcset(url, config.imagesToken, picture, args),

    /** The URL of a file's bytes. */
    fileUrl: (path: string): string => fileUrl(url, path),

    /**
     * Any call that has no method here, by its method and path: `request("GET /api/entries", { id: "movies" })`. Answers
     * the reply's `data` and its headers.
     */
    request: <T>(operation: string, args: object = {}, options?: WriteOptions): Promise<Reply<T>> =>
      transport.reply(operation, args, options),

    /**
     * Reads a URL of the service: an image, a file, the OpenAPI description. Answers the response unread; read
     * its body, which keeps the connection. Throws RangeError for a URL of another host.
     */
    get: (address: string, options?: CallOptions): Promise<Response> => transport.get(address, options),
  };
}

type AnyClient = ReturnType<typeof clientOf>;
/** A client; of a store whose content types are known with `Schema`. */
export type Octavo<S extends AnySchema = never> = [S] extends [never]
  ? AnyClient
  : Omit<AnyClient, "entries" | "translations"> & { entries: TypedEntries<S>; translations: TypedTranslations<S> };
