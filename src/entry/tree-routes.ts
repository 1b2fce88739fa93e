import { manages } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import { strict } from "../core/http/collection.ts";
import { type Answer, tagged } from "../core/http/reply.ts";
import { type ArgumentsOf, argument, ifSent, type Route, route, textReader } from "../core/http/route.ts";
import { slugOrRoot } from "../core/http/schema.ts";
import { Type } from "../core/lib/json-schema.ts";
import { parsePath, type Slug } from "../core/path.ts";
import { problem } from "../core/problem.ts";
import type { EntryChild, EntryStore } from "./entry.ts";
import { childrenOf } from "./tree.ts";
import { entryChild } from "./wire.ts";

const maxChildren = 1000;
const treeArguments = {
  id: slugOrRoot("The parent entry"),
  after: argument(
    Type.Optional(
      Type.Unsafe<Slug>({ type: "string", description: "The slug of the last entry of the previous page." }),
    ),
    ifSent(textReader(parsePath)),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maxChildren, description: `An integer from 1 to ${maxChildren}.` }),
  ),
  strict,
};

/** /api/management/entries/children: the tree of entries, one level at a time, for navigation. */
export function entryTreeRoutes(store: EntryStore): Route[] {
  return [
    route({
      unknown: "ignored",
      method: "GET",
      url: "/api/management/entries/children",
      summary: "List the children of an entry, with the facts a tree view needs",
      need: manages("entries"),
      arguments: treeArguments,
      reply: Type.Array(entryChild, { description: "Sorted by id." }),
      problems: ["entry_not_found", "path_invalid", "argument_missing", "argument_invalid", "argument_unknown"],
      handle: (call, args) => children(call, store, args),
    }),
  ];
}

async function children(call: Call, store: EntryStore, args: ArgumentsOf<typeof treeArguments>): Promise<Answer> {
  const { id, after, limit = maxChildren } = args;
  const found = await childrenOf(store, call.access, id, after, limit);
  if (!found) throw problem("entry_not_found", { id });
  return tagged(JSON.stringify(found.map(childFields)));
}

function childFields({ slug, entry, hasChildren }: EntryChild) {
  const shown = entry && { title: titleOf(entry.data), visibility: entry.visibility, published_at: entry.publishedAt };
  return { slug, has_children: hasChildren, entry: shown ?? null };
}

function titleOf(text: string): string {
  const { title } = JSON.parse(text) as { title?: unknown };
  return typeof title === "string" ? title : "";
}
