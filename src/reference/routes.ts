import { type Reach, reaches } from "../core/access/access.ts";
import { formatScopes } from "../core/access/token.ts";
import { manages } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import { listArguments, listPage } from "../core/http/list.ts";
import type { Answer } from "../core/http/reply.ts";
import { type Route, route } from "../core/http/route.ts";
import { pathBelowRoot, slug } from "../core/http/schema.ts";
import { Type } from "../core/lib/json-schema.ts";
import type { Path } from "../core/path.ts";
import { formatPathCursor, parsePathCursor } from "../core/path-cursor.ts";
import type { EntryStore } from "../entry/entry.ts";
import type { FileStore } from "../file/file.ts";
import type { Deletion } from "../trash/trash.ts";
import { typeRefusals } from "../type/problems.ts";
import { problem } from "./problems.ts";
import { formatReference, type ReferenceStore, type Target } from "./reference.ts";
import { referenceRow } from "./wire.ts";

/** Which entries refer to a thing, and what writes do about them. Contract, part two, §10. */

export const updateReferences = Type.Optional(
  Type.Boolean({
    description:
      "True redirects the references to what is moved, in fields that types mark as references and in links of prose, as far as the token reaches: each is an update of its entry, or of its working copy.",
  }),
);
export const restrict = Type.Optional(
  Type.Boolean({
    description:
      "True refuses the delete while an entry refers to it in a field that its type marks as a reference, or by a link in prose, as far as the token reaches.",
  }),
);

/** What a move with it throws besides. */
export const movedReferences = ["too_many_references", "data_too_large", ...typeRefusals] as const;

/**
 * What a write does about references, as far as the caller reaches; nothing unless it was asked for. Throws scope_missing
 * for a token that manages files alone: the references are in entries.
 */
export function scopeOf({ access, token }: Call, isWanted: boolean | undefined): Reach | undefined {
  if (!isWanted) return undefined;
  if (!token?.resources.includes("entries"))
    throw problem("scope_missing", { needed: formatScopes(["management"], ["entries"]) });
  return { paths: access.paths };
}

/** The arguments of a delete besides what is deleted. */
export type Deleting = { purge?: boolean; restrict?: boolean };

/** Where a delete moves things, and what it does about references. Throws as scopeOf does. */
export const deletionOf = (call: Call, { purge, restrict }: Deleting, hasTrash: boolean): Deletion => ({
  to: purge || !hasTrash ? "nowhere" : "trash",
  restricted: scopeOf(call, restrict),
});

type Stores = { entries: EntryStore; files: FileStore; references: ReferenceStore };

/** /api/entries/references and /api/files/references. */
export function referenceRoutes({ entries, files, references }: Stores): Route[] {
  const list = {
    method: "GET",
    need: manages("entries"),
    reply: Type.Array(referenceRow, { description: "In the order of their ids." }),
  } as const;
  const rest = {
    descendants: Type.Optional(
      Type.Boolean({ description: "True lists the references to what is below it, too, from outside of it." }),
    ),
    ...listArguments(parsePathCursor),
  };
  type ReferrerQuery = { descendants?: boolean; limit?: number; cursor?: Path };
  const read = (
    call: Call,
    target: Omit<Target, "isSubtree">,
    { descendants: isSubtree = false, ...page }: ReferrerQuery,
  ) =>
    listPage(call, page, {
      read: async (limit, after: Path | undefined) => {
        const query = { target: { ...target, isSubtree }, paths: call.access.paths, after, limit };
        const found = await references.list(query, call.asker());
        return found.last === undefined
          ? found.references
          : { rows: found.references, next: formatPathCursor(found.last) };
      },
      fields: formatReference,
      cursorOf: ({ id }) => formatPathCursor(id),
    });
  return [
    route({
      ...list,
      url: "/api/entries/references",
      summary: "List the entries that refer to an entry",
      arguments: { id: slug("The entry that is referred to."), ...rest },
      problems: ["entry_not_found", "path_invalid", "cursor_invalid", "type_too_costly", "busy"],
      handle: async (call, { id, ...asked }): Promise<Answer> => {
        if (!reaches(call.access, id) || !(await entries.find(id))) throw problem("entry_not_found", { id });
        return read(call, { kind: "entry", path: id }, asked);
      },
    }),
    route({
      ...list,
      url: "/api/files/references",
      summary: "List the entries that refer to a file",
      arguments: { path: pathBelowRoot("The file that is referred to, or a folder."), ...rest },
      problems: ["file_not_found", "path_invalid", "cursor_invalid", "type_too_costly", "busy"],
      handle: async (call, { path, ...asked }): Promise<Answer> => {
        // A token without files must not learn which files exist.
        const isAnyPath = asked.descendants === true || !call.token?.resources.includes("files");
        if (!reaches(call.access, path) || !(isAnyPath || (await files.find(path))))
          throw problem("file_not_found", { argument: "path", path });
        return read(call, { kind: "file", path }, asked);
      },
    }),
  ];
}
