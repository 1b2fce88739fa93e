import { type TObject, type TSchema, Type } from "typebox";
import { visibilities } from "../domain/entry.ts";
import { type Path, parsePath, parsePathBelowRoot } from "../domain/path.ts";
import { tokenKinds, tokenResources, tokenStates } from "../domain/token.ts";
import { argument, textReader } from "./route.ts";

/** The objects on the wire, in the contract's terms. `$id` is a schema's name in the OpenAPI description. */

const pathSchema = (description: string, examples: string[]) =>
  Type.Unsafe<Path>({ type: "string", description, examples });
/** The path to write. */
export const slug = (description: string, read = textReader(parsePathBelowRoot)) =>
  argument(pathSchema(description, ["movies/alien"]), read);
/** A path to read, which may be the root; `description` without its full stop. */
export const slugOrRoot = (description: string, read = textReader(parsePath)) =>
  argument(pathSchema(`${description}; empty for the root.`, ["movies/alien", ""]), read);
const time = (description: string) => Type.Integer({ description: `${description} Unix seconds.` });
export const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: "string", enum: [...values], description });

export const entryObject = Type.Object(
  {
    title: Type.Optional(
      Type.Unknown({ description: "Supplied by the client, like every key that is not listed here." }),
    ),
    content: Type.Unknown({ description: 'Supplied by the client; "" when it was not.' }),
    published_at: time("When it is or becomes public."),
    created_at: time("When it was made."),
    modified_at: time("When it last changed."),
    published_by: Type.String({ description: "Who published it; empty when nobody said." }),
    created_by: Type.String({ description: "Who made it; empty when nobody said." }),
    routable: Type.Boolean({ description: "Whether a site should have a page for it; kept for the client." }),
    visibility: oneOf(visibilities, "`hidden` is fetched by id but never listed; `draft` is not public."),
    uuid: Type.String({ format: "uuid", description: "Made by the service; stays when the entry moves." }),
    slug: Type.String({ description: "The entry's id." }),
  },
  { $id: "Entry", additionalProperties: true, description: "An entry: the client's own keys and the service's." },
);
/** An object in which `only` and `except` may omit fields. */
const someFields = (object: TObject) =>
  Type.Partial(object, {
    $id: `Partial${(object as { $id?: string }).$id}`,
    additionalProperties: true,
    description: "The fields that `only` and `except` leave.",
  });
const entries = Type.Array(Type.Union([entryObject, someFields(entryObject)]));

/** What a collection's `return` selects in place of its items. */
const otherReturns = [
  Type.Boolean({ description: "With `return=exists`." }),
  Type.Integer({ description: "With `return=count`." }),
  Type.Null({ description: "With `return=first` and its like, when nothing matches." }),
];

export const entryOrList = Type.Unsafe({
  $id: "EntryResult",
  description:
    "One entry, or what a collection read asks for: a list of entries unless `filter[return]` says otherwise.",
  anyOf: [
    entryObject,
    someFields(entryObject),
    entries,
    Type.Object({}, { additionalProperties: entries, description: "With `group_by`: a list for each value." }),
    ...otherReturns,
  ],
});

export const entryChild = Type.Object(
  {
    slug: Type.String({ description: "Its id." }),
    has_children: Type.Boolean({ description: "Whether anything lies below it." }),
    entry: Type.Union(
      [
        Type.Object({
          title: Type.String({ description: 'Its title; "" when that is no text.' }),
          visibility: oneOf(visibilities, "As of the entry."),
          published_at: time("When it is or becomes public."),
        }),
        Type.Null(),
      ],
      { description: "Null for a name that is no entry itself." },
    ),
  },
  { $id: "EntryChild", description: "A step down the tree of entries." },
);

const urls = {
  url: Type.String({ description: "Path below the site's root, not encoded.", examples: ["project/uploads/blog"] }),
  full_url: Type.String({ description: "The absolute address, percent-encoded." }),
};
/** `path` and `full_path`, or `id` and `full_id`. */
export const folderObject = (key: "path" | "id") =>
  Type.Object(
    {
      [key]: Type.String({ description: "The folder's path." }),
      [`full_${key}`]: Type.String({ description: "The absolute directory on the server." }),
      ...urls,
    },
    { $id: key === "path" ? "Folder" : "MediaFolder", description: "A folder." },
  );
/** One item, or what a collection's `return` selects in place of `many`. */
const oneOrMany = (one: TObject, many: TSchema) =>
  Type.Unsafe({
    $id: `${(one as { $id?: string }).$id}Result`,
    description: "One, or what a collection read asks for.",
    anyOf: [one, someFields(one), many, ...otherReturns],
  });
export const folderList = (key: "path" | "id") =>
  oneOrMany(folderObject(key), Type.Array(Type.Union([folderObject(key), someFields(folderObject(key))])));

export const fileObject = Type.Object(
  {
    title: Type.String({ description: "The name without extension, until it is set." }),
    description: Type.String({ description: "A text about the file; may be empty." }),
    type: Type.String({ description: "The media type that the bytes were found to be.", examples: ["image/jpeg"] }),
    filesize: Type.Integer({ description: "Bytes." }),
    uploaded_on: time("When these bytes came."),
    exif: Type.Object(
      {
        html: Type.Optional(
          Type.String({ description: "Both sizes as attributes of an `img`.", examples: ['width="640" height="480"'] }),
        ),
        Height: Type.Optional(Type.Integer({ description: "Pixels." })),
        Width: Type.Optional(Type.Integer({ description: "Pixels." })),
        IsColor: Type.Optional(Type.Integer({ description: "1, or 0 for a picture in grey." })),
      },
      { description: "Of images, upright or not: as stored." },
    ),
    filename: Type.String({ description: "The name with its extension." }),
    basename: Type.String({ description: "The name without it." }),
    extension: Type.String({ description: "In lower case, without the dot." }),
    dirname: Type.String({ description: "The absolute directory on the server." }),
    ...urls,
    version: Type.String({ description: "Changes whenever the bytes do." }),
  },
  {
    $id: "File",
    additionalProperties: true,
    description: "A file: the service's fields and, at the same level, the client's own.",
  },
);
export const fileList = oneOrMany(
  fileObject,
  Type.Object(
    {},
    {
      additionalProperties: Type.Union([fileObject, someFields(fileObject)]),
      description: "Files by their names, or with `recursive` by their paths below the folder.",
    },
  ),
);

export const registryItem = Type.Object(
  {
    key: Type.String({ description: "A dotted key.", examples: ["site.title"] }),
    value: Type.Unknown({
      description: "The value as stored; for a key that is the parent of others, the object of them.",
    }),
  },
  { $id: "RegistryItem", description: "A registry item." },
);

export const registryRow = Type.Object(
  {
    key: Type.String({ description: "A dotted key." }),
    value: Type.Unknown({ description: "Its own value as stored." }),
    read_only: Type.Boolean({ description: "True for what describes the service." }),
  },
  { $id: "RegistryRow", description: "A registry item in a list." },
);

const tokenRow = {
  id: Type.String({ description: "Names the token in calls about it; no secret." }),
  kind: oneOf(tokenKinds, "What the token is for."),
  resources: Type.Array(oneOf(tokenResources, "A resource."), { description: "What it may be used on." }),
  label: Type.String({ description: "What people call it." }),
  environment: Type.String({ description: "Where it is used, such as `production`." }),
  state: oneOf(tokenStates, "Whether it is accepted."),
  limit_calls: Type.Integer({ description: "How many calls it may make in all; 0 is without limit." }),
  calls: Type.Integer({ description: "How many it has made." }),
  expires_at: Type.Union([Type.Integer(), Type.Null()], { description: "Unix seconds, or null." }),
  created_at: time("When it was made."),
  last_used_at: Type.Union([Type.Integer(), Type.Null()], { description: "Unix seconds, or null." }),
};
export const tokenObject = Type.Object(tokenRow, { $id: "Token", description: "A token without its secret." });
export const tokenWithSecret = Type.Object(
  { ...tokenRow, token: Type.String({ description: "The secret, answered this once." }) },
  { $id: "TokenWithSecret", description: "A token with its secret." },
);

export const sessionObject = Type.Object(
  {
    id: Type.String({ description: "Names the session in calls about it; no secret." }),
    actor: Type.String({ description: "The id of the management token that signed in." }),
    created_at: time("When it was started."),
    last_seen_at: time("When it was last used, at most a minute behind."),
    expires_at: time("When it ends."),
  },
  { $id: "Session", description: "A live session of the admin page." },
);

export const eventObject = Type.Object(
  {
    sequence: Type.Integer({ description: "Rises with each event." }),
    at: time("When it happened."),
    kind: Type.String({ description: "What was done: noun and verb.", examples: ["entry.create"] }),
    subject: Type.String({ description: "What changed: a slug, a registry key, the id of a token or session." }),
    target: Type.Union([Type.String(), Type.Null()], { description: "Where a move or copy went." }),
    count: Type.Integer({ description: "How many things changed: for a subtree its size." }),
    actor: Type.String({ description: "The id of the token that wrote, or `octavo`." }),
  },
  { $id: "Event", description: "One write." },
);

export const statsObject = Type.Object(
  {
    version: Type.String({ description: "Of Octavo." }),
    uptime_seconds: Type.Integer({ description: "Since the process started." }),
    entries: Type.Optional(Type.Integer({ description: "All entries, drafts too." })),
    folders: Type.Optional(Type.Integer({ description: "All folders." })),
    files: Type.Optional(Type.Integer({ description: "All files." })),
    blob_bytes: Type.Optional(
      Type.Integer({ description: "Bytes of all files, those with the same bytes counted once." }),
    ),
    renditions: Type.Integer({ description: "Images that are kept because they were asked for." }),
    rendition_bytes: Type.Integer({ description: "Their bytes." }),
    registry_items: Type.Optional(Type.Integer({ description: "Without those that are built in." })),
    tokens: Type.Optional(Type.Integer({ description: "All tokens, disabled ones too." })),
    unknown_uploads: Type.Integer({
      description:
        "Files that were found in `uploads/` and not created by the service; they were moved to `uploads.unknown/` " +
        "of the data folder.",
    }),
    store_bytes: Type.Integer({ description: "What the database takes on the disk." }),
    memory_bytes: Type.Integer({ description: "Resident memory of the process." }),
    store_state: oneOf(["ok", "damaged"], "`damaged` refuses all writes."),
    store_faults: Type.String({ description: 'What was found damaged, a line each; "" for nothing.' }),
    store_checked_at: Type.Optional(
      Type.Integer({
        description:
          "When this process last looked at the whole database file, in Unix seconds; 0 for never, absent on PostgreSQL.",
      }),
    ),
    clock_behind_seconds: Type.Optional(
      Type.Integer({ description: "How far the newest event is ahead of the clock; 0 when it is not." }),
    ),
    future_entries: Type.Optional(
      Type.Integer({ description: "Entries that wait for the clock, which was ahead when they were made." }),
    ),
  },
  { $id: "Stats", description: "Figures of the running service." },
);
