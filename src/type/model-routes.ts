import { writes } from "../core/http/auth.ts";
import { type Answer, data, managementCache } from "../core/http/reply.ts";
import { argument, type Route, route, textReader, writerOf } from "../core/http/route.ts";
import { oneOf } from "../core/http/schema.ts";
import { describeJson, isJsonObject, type Json } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import { nearest } from "../core/lib/nearest.ts";
import { Problem, problem } from "../core/problem.ts";
import { formatRevision } from "../core/revision.ts";
import type { Difference, ModelChange, ModelStore, TypeChange } from "./model.ts";
import { type ContentType, formatType, maxTypes, parseTypeId, parseTypeObject, typeKeys } from "./type.ts";
import { contentType, sentJson } from "./wire.ts";

/** Types as a whole: a model that is applied, and another id of a type. Contract, part four, §30, Model as code. */

const difference = Type.Object({
  pointer: Type.String({ description: "Where in the type object: a JSON pointer.", examples: ["/schema/required"] }),
  change: oneOf(
    ["added", "removed", "changed", "reordered"],
    "What becomes of it. Of a list of texts or numbers each item is added or removed.",
  ),
  before: Type.Optional(Type.Unsafe({ description: "The value, unless it is added." })),
  after: Type.Optional(Type.Unsafe({ description: "The value, unless it is removed." })),
});

const modelChange = Type.Object(
  {
    dry_run: Type.Boolean({ description: "Whether nothing was stored." }),
    changes: Type.Array(
      Type.Object({
        id: Type.String({ description: "The type." }),
        change: oneOf(["added", "changed", "removed"], "What becomes of it."),
        differences: Type.Array(difference, { description: "Of a type that is changed." }),
      }),
      { description: "The types that change, by id." },
    ),
    unchanged: Type.Integer({ description: "How many types stay as they are." }),
  },
  { $id: "ModelChange", description: "What a model of types changes." },
);

const typeInput = Type.Object({
  id: contentType.properties.id,
  title: Type.Optional(contentType.properties.title),
  description: Type.Optional(contentType.properties.description),
  paths: Type.Optional(contentType.properties.paths),
  schema: contentType.properties.schema,
  mode: Type.Optional(contentType.properties.mode),
});

const model = argument(
  Type.Unsafe<ContentType[]>({
    type: "array",
    items: typeInput,
    description: "Type objects, as PUT takes them.",
  }),
  (sent, name) => parseTypes(sentJson(name, sent), name),
);

/** Throws argument_missing, argument_invalid, argument_unknown, data_too_large. */
function parseTypes(list: Json | undefined, name: string): ContentType[] {
  const accepted = `a list of at most ${maxTypes} types`;
  if (list === undefined) throw problem("argument_missing", { argument: name, accepted });
  if (!Array.isArray(list) || list.length > maxTypes)
    throw problem("argument_invalid", { argument: name, received: describeJson(list), accepted });
  const types = list.map((each, i) => parseOne(each, `${name}[${i}]`));
  const ids = new Set<string>();
  for (const [i, { id }] of types.entries()) {
    if (ids.has(id))
      throw problem("argument_invalid", { argument: `${name}[${i}][id]`, received: id, accepted: "each id once" });
    ids.add(id);
  }
  return types;
}

function parseOne(sent: Json, place: string): ContentType {
  if (!isJsonObject(sent))
    throw problem("argument_invalid", { argument: place, received: describeJson(sent), accepted: "a type object" });
  // What a read answers may be sent back.
  const unknown = [...sent.keys()].find((key) => !typeKeys.includes(key) && key !== "fault");
  if (unknown !== undefined) {
    const names = typeKeys.map((key) => `${place}[${key}]`);
    const argument = `${place}[${unknown}]`;
    throw problem("argument_unknown", { argument, near: nearest(argument, names), names, isMisplaced: false });
  }
  try {
    return parseTypeObject(sent);
  } catch (error) {
    throw error instanceof Problem ? error.renamed((argument) => `${place}[${argument}]`) : error;
  }
}

export function modelRoutes(store: ModelStore): Route[] {
  const url = "/api/types";
  return [
    route({
      method: "PATCH",
      url,
      summary: "Give a type another id; what refers to it follows",
      need: writes("admin"),
      arguments: {
        id: argument(
          Type.String({ description: "The type.", examples: ["movie"] }),
          textReader((name, text) => parseTypeId(text, name), "an id"),
        ),
        newId: argument(
          Type.String({ description: "Its new id.", examples: ["film"] }),
          textReader((name, text) => parseTypeId(text, name), "an id"),
        ),
      },
      reply: contentType,
      problems: ["type_not_found", "type_exists", "type_in_use", "revision_mismatch", "plan_too_large"],
      handle: async (call, { id, newId }) => {
        const type = await store.rename(id, newId, writerOf(call));
        return data(formatType(type), { tag: formatRevision(type.revision), cacheControl: managementCache });
      },
    }),
    route({
      method: "POST",
      url: `${url}/apply`,
      summary: "Make the types those of a model, all or none",
      need: writes("admin"),
      // A schema is as deep in it as that of an operation in a batch.
      body: "operations",
      arguments: {
        types: model,
        prune: Type.Optional(Type.Boolean({ description: "Whether types that are not in the list are removed." })),
        dryRun: Type.Optional(Type.Boolean({ description: "Whether only what would change is answered." })),
      },
      reply: modelChange,
      problems: [
        "schema_invalid",
        "type_in_use",
        "types_refused",
        "too_many_types",
        "data_too_large",
        "type_too_costly",
        "busy",
      ],
      handle: async (call, { types, prune = false, dryRun = false }) => {
        const options = { isDryRun: dryRun, asker: call.asker() };
        return answer(await store.apply({ types, prune }, options, writerOf(call)), dryRun);
      },
    }),
  ];
}

const answer = ({ changes, unchanged }: ModelChange, isDryRun: boolean): Answer =>
  data(`{"dry_run":${isDryRun},"changes":[${changes.map(formatChange).join(",")}],"unchanged":${unchanged}}`, {
    cacheControl: "no-store",
  });

const formatChange = ({ id, change, differences }: TypeChange): string =>
  `{"id":"${id}","change":"${change}","differences":[${differences.map(formatDifference).join(",")}]}`;

/** Values are JSON texts, and stay as they were written. */
function formatDifference({ pointer, change, before, after }: Difference): string {
  const values = [before === undefined ? "" : `,"before":${before}`, after === undefined ? "" : `,"after":${after}`];
  return `{"pointer":${JSON.stringify(pointer)},"change":"${change}"${values.join("")}}`;
}
