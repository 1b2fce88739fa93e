import { describeJson, isJsonObject, type Json, type JsonObject } from "../core/lib/json.ts";
import { problem } from "../core/problem.ts";

/** A tool of agents: the routes that it runs, and what it says of itself to a reader without our docs. */
export type Tool = {
  name: string;
  title: string;
  description: string;
  /** Method and address: the first that the caller may call, and that takes the arguments. */
  routes: readonly string[];
  /** Arguments of the routes that the tool has not. */
  without?: readonly string[];
  /** Required arguments of the route that have a value here. */
  optional?: readonly string[];
  /** Arguments that only this tool requires. */
  required?: readonly string[];
  /** It is there where entries have translations. */
  needsLocales?: true;
  takesIfMatch?: true;
  isDestructive?: true;
  /** The arguments as the route gets them. Throws argument_invalid. */
  prepare?(sent: JsonObject): JsonObject;
};

/** Where entries are read: with what was staged laid over, or as a preview shows them. */
const reads = ["GET /api/entries/staged", "GET /api/entries"] as const;
/** Where they are searched, in the same way. */
const searches = ["GET /api/entries/staged/search", "GET /api/entries/search"] as const;
/** Of no use to an agent: other names, and what a tool decides by itself. */
const spellings = ["options", "args", "strict", "render"];

export const tools: readonly Tool[] = [
  {
    name: "search",
    title: "Search entries",
    description:
      "Finds entries by words, the best first, with what is staged laid over: all words, in any form, with typos, the last one " +
      'also as a beginning; `"a phrase"`, `-without`. `matches` says where they stand, with a snippet; `dropped` are words that were ' +
      "left out. `id` narrows it to what is below a path. `data` has `slug`, which is the id, and `title`; `only` names other fields, " +
      "and `read` answers an entry.",
    routes: searches,
    without: [...spellings, "prefix", "image_preset"],
    prepare: asSearch,
  },
  {
    name: "list",
    title: "List entries",
    description:
      "Lists entries below a path, with what is staged laid over. `id` is the path, empty for the root; without `depth` only its " +
      'direct children are listed. `{"where": {"key": "title", "expr": "eq", "value": "Home"}, "depth": "*"}` compares a field, ' +
      '`{"order_by": {"field": "modified_at", "direction": "desc"}, "limit": 20, "only": ["slug", "title"]}` sorts and shortens; `slug` is the id of an entry.',
    routes: reads,
    without: spellings,
    optional: ["id"],
    prepare: (sent) => new Map<string, Json>([["id", ""], ["filter", new Map()], ...sent]),
  },
  {
    name: "read",
    title: "Read an entry",
    description:
      "Reads one entry by its `id`, with what is staged laid over. Its `etag` can be sent as `if_match` with a change. " +
      "`include` also answers entries and files that its fields refer to. `revision`, from `history`, reads an earlier content.",
    routes: [reads[0], "GET /api/management/entries", reads[1]],
    without: [...spellings, "filter"],
  },
  {
    name: "list_types",
    title: "List content types",
    description:
      "Lists the content types: each has a JSON Schema that the data of entries must fit whose id matches one of its `paths` " +
      "(`*` is one segment, `**` any number). Read the type of an entry before you create or change it.",
    routes: ["GET /api/types"],
  },
  {
    name: "create_draft",
    title: "Create a draft",
    description:
      "Creates an entry that is not public: `visibility` is `draft`. `id` is its path, whose parent must exist; `data` are its " +
      "fields, which must fit its type. A person publishes it. A refusal lists each fault: mend these and send it again.",
    routes: ["POST /api/entries"],
    // It creates and does nothing to what is there.
    without: ["on_conflict"],
    prepare: asDraft,
  },
  {
    name: "stage",
    title: "Propose a change",
    description:
      "Changes fields of an entry in its working copy: what the public sees stays as it is until the copy is published. " +
      "`data` has only the fields that change. A refusal lists each fault with what is accepted: mend these and send it again.",
    routes: ["PATCH /api/entries/staged"],
    takesIfMatch: true,
  },
  {
    name: "compare_translations",
    title: "Compare an entry with its translations",
    description:
      "Lists for each locale what an entry says there: `keys` that are translated, those that are `missing`, and those that are " +
      "`outdated` since the source has changed. `read` with a `locale` answers the texts.",
    routes: ["GET /api/entries/translations"],
    needsLocales: true,
  },
  {
    name: "translate",
    title: "Propose a translation",
    description:
      "Puts translated fields of an entry into the working copy of a `locale`: the public sees them when a person publishes it. " +
      "`data` has only keys that are translated; what is not there falls back. Keep Markdown, links and ids as the source has them.",
    routes: ["PATCH /api/entries/staged"],
    required: ["locale", "data"],
    needsLocales: true,
    takesIfMatch: true,
    prepare: inALocale,
  },
  {
    name: "publish",
    title: "Publish an entry",
    description:
      "Makes the working copy of an entry, or a draft, public, now or `at` a time. Only when a person asked for it.",
    routes: ["POST /api/entries/publish"],
    takesIfMatch: true,
    isDestructive: true,
  },
  {
    name: "history",
    title: "List earlier contents",
    description:
      "Lists the earlier contents of an entry, newest first: who changed it, and when. `read` with a `revision` of the list " +
      "answers what it was.",
    routes: ["GET /api/entries/history"],
  },
  {
    name: "upload_link",
    title: "Get an address for one upload",
    description:
      "Answers an address that takes one file, once, within ten minutes, without tokens: POST it as the part `file` of a form " +
      "(multipart/form-data), as the `example` shows. Fields of entries refer to the file by `path`, with the `filename` of the " +
      "reply to that upload. Files are never fetched from an address: the bytes must be sent.",
    routes: ["POST /mcp/upload-link"],
  },
];

/** Names of fields go with commas; whole entries would seldom fit into a result. */
function asSearch(sent: JsonObject): JsonObject {
  const names = (value: Json | undefined): Json => (Array.isArray(value) ? value.join() : (value as Json));
  const lists = ["only", "facets"]
    .filter((name) => sent.has(name))
    .map((name) => [name, names(sent.get(name))] as const);
  return new Map<string, Json>([["only", "slug,title"], ...sent, ...lists]);
}

/** Throws argument_invalid for a visibility other than `draft`. */
function asDraft(sent: JsonObject): JsonObject {
  const data = sent.get("data");
  if (!isJsonObject(data)) return sent;
  const visibility = data.get("visibility") ?? "draft";
  if (visibility !== "draft") {
    const accepted = "draft: this tool creates nothing else";
    throw problem("argument_invalid", { argument: "visibility", received: describeJson(visibility), accepted });
  }
  return new Map<string, Json>([...sent, ["data", new Map([...data, ["visibility", visibility]])]]);
}

/** Throws argument_missing: without a locale the source would be changed. */
function inALocale(sent: JsonObject): JsonObject {
  if (sent.has("locale")) return sent;
  throw problem("argument_missing", { argument: "locale", accepted: "a locale other than the source" });
}
