import { manages, writes } from "../core/http/auth.ts";
import { listArguments, listPage } from "../core/http/list.ts";
import { type Answer, data, managementCache, noContent } from "../core/http/reply.ts";
import { argument, ifSent, type Route, route, textReader, writerOf } from "../core/http/route.ts";
import { oneOf } from "../core/http/schema.ts";
import { Type } from "../core/lib/json-schema.ts";
import { parsePathBelowRoot, type Slug } from "../core/path.ts";
import { formatRevision } from "../core/revision.ts";
import {
  existingType,
  formatType,
  formatTypeCursor,
  parsePaths,
  parseSchema,
  parseType,
  parseTypeCursor,
  parseTypeId,
  type SentType,
  type StoredType,
  type TypeStore,
  typeModes,
} from "./type.ts";
import { contentType, dataFault, sentJson, typeOrList } from "./wire.ts";

const typeId = textReader((name, text) => parseTypeId(text, name), "an id");
const id = argument(Type.String({ description: "The type.", examples: ["movie"] }), typeId);

const paths = argument(
  Type.Optional(
    Type.Unsafe<string[]>({
      type: "array",
      items: { type: "string" },
      description: "Patterns of the ids of its entries: `*` is one segment, `**` any number. Defaults to none.",
    }),
  ),
  (sent, name) => parsePaths(sentJson(name, sent)),
);
const schema = argument(
  Type.Unsafe<string>({
    type: ["object", "boolean"],
    description: "A JSON Schema 2020-12 of the data of its entries.",
  }),
  (sent, name) => parseSchema(sentJson(name, sent)),
);

const typeCheck = Type.Object(
  {
    checked: Type.Integer({ description: "The entries that the type would have." }),
    failing: Type.Integer({ description: "Those of them whose data does not fit." }),
    first: Type.Array(
      Type.Object({
        id: Type.String({ description: "The entry." }),
        errors: Type.Array(dataFault, { description: "At most ten." }),
      }),
      {
        description: "The first hundred of these, by id, with at most ten faults each.",
      },
    ),
    has_more: Type.Optional(
      Type.Boolean({
        description:
          "True when its time (`scan_management_ms`) ended before all entries were looked at: the figures are those of the entries up to `last`. Absent otherwise.",
      }),
    ),
    last: Type.Optional(
      Type.String({
        description: "With `has_more`, the id of the entry that the check came to: send it as `after` to go on.",
      }),
    ),
  },
  { $id: "TypeCheck", description: "What a type would refuse of what is stored." },
);

/** /api/types: which data the entries of some paths have. Contract, part two, §9. */
export function typeRoutes(store: TypeStore): Route[] {
  const url = "/api/types";
  return [
    route({
      method: "GET",
      url,
      summary: "Fetch one type, or list the types",
      need: manages("entries"),
      arguments: {
        id: argument(Type.Optional(Type.String({ description: "The type; absent for a list." })), ifSent(typeId)),
        ...listArguments(parseTypeCursor),
      },
      reply: typeOrList,
      problems: ["type_not_found", "cursor_invalid"],
      handle: async (call, args) =>
        args.id === undefined
          ? listPage(call, args, {
              read: (limit, after: string | undefined) => store.list(after, limit),
              text: formatType,
              cursorOf: formatTypeCursor,
            })
          : answer(existingType(await store.find(args.id), args.id)),
    }),
    route({
      method: "PUT",
      url,
      summary: "Create or replace a type",
      need: writes("admin"),
      arguments: {
        id,
        title: Type.Optional(Type.String({ description: "A text for people. Defaults to none." })),
        description: Type.Optional(Type.String({ description: "A text for people. Defaults to none." })),
        paths,
        schema,
        mode: Type.Optional(oneOf(typeModes, "`off` checks nothing. Defaults to `enforce`.")),
      },
      reply: contentType,
      problems: [
        "type_not_found",
        "revision_mismatch",
        "schema_invalid",
        "type_in_use",
        "too_many_types",
        "data_too_large",
        "type_too_costly",
      ] as Route["problems"],
      handle: async (call, args) => {
        const type = parseType(args as SentType);
        return answer(await store.put(type.id, type, writerOf(call)));
      },
    }),
    route({
      method: "DELETE",
      url,
      summary: "Delete a type; its entries stay as they are",
      need: writes("admin"),
      arguments: { id },
      problems: ["type_not_found", "revision_mismatch", "type_in_use", "type_too_costly"],
      handle: async (call, args) => {
        await store.delete(args.id, writerOf(call));
        return noContent;
      },
    }),
    route({
      method: "POST",
      url: `${url}/check`,
      summary: "Check the entries that a type would have; stores nothing",
      need: manages("entries", "admin"),
      arguments: {
        id,
        paths,
        schema,
        after: argument(
          Type.Optional(
            Type.Unsafe<Slug>({
              type: "string",
              description: "Only entries behind this id are checked: `last` of a check whose time ended.",
            }),
          ),
          ifSent(textReader((name, text) => parsePathBelowRoot(name, text), "an id of an entry")),
        ),
      },
      reply: typeCheck,
      problems: ["schema_invalid", "path_invalid", "argument_missing", "argument_invalid", "body_invalid", "busy"],
      handle: async (call, args) => {
        const tried = { id: args.id, paths: args.paths ?? [], schema: args.schema };
        const scope = { paths: call.access.paths, after: args.after, asker: call.asker() };
        const { last, ...found } = await store.check(tried, scope);
        const answer = last === undefined ? found : { ...found, has_more: true, last };
        return data(JSON.stringify(answer), { cacheControl: "no-store" });
      },
    }),
  ];
}

const answer = (type: StoredType): Answer =>
  data(formatType(type), { tag: formatRevision(type.revision), cacheControl: managementCache });
