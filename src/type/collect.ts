import { hasSchema } from "@hyperjump/json-schema/draft-2020-12";
import { buildSchemaDocument } from "@hyperjump/json-schema/experimental";
import { type Json, parseJson } from "../core/lib/json.ts";
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import { documentOf } from "./document.ts";
import { dialect, maxSubschemas, schemaInvalid, type Walked, walkSchema } from "./walk.ts";

/** A schema and those of the types that it refers to, as documents for the validator. */

/** Where the validator has the schemas of types. */
export const base = "https://octavo.invalid/types/";

/** Schemas by type, as JSON text. */
export type Schemas = { schemaOf(id: string): MaybePromise<string | undefined> };

type Document = ReturnType<typeof buildSchemaDocument>;

/** The documents of the type and of all that it refers to. Rejects with schema_invalid. */
export async function collect(
  type: string,
  schemas: Schemas,
): Promise<{ walked: Walked; documents: Record<string, Document> }> {
  const documents: Record<string, Document> = Object.create(null);
  const ids = new Set<string>();
  let own: Walked | undefined;
  let subschemas = 0;
  const wanted = new Set([type]);
  for (const each of wanted) {
    const text = await schemas.schemaOf(each);
    if (text === undefined) throw missing(each, own);
    const schema = parseJson(text);
    const walked = walkSchema(schema);
    own ??= walked;
    subschemas += walked.subschemas;
    if (subschemas > maxSubschemas)
      throw schemaInvalid("", `it has at most ${maxSubschemas} subschemas with those of the types that it refers to`);
    for (const next of walked.types) wanted.add(next);
    const document = build(schema, `${base}${each}`);
    for (const uri of new Set([`${base}${each}`, ...Object.keys(document.embedded ?? {})])) refuseTaken(uri, ids);
    documents[`${base}${each}`] = document;
    documents[document.baseUri] ??= document;
  }
  return { walked: own as Walked, documents };
}

/** The library would take one schema for the other, and keep it for all types where it is of the dialect. */
function refuseTaken(uri: string, ids: Set<string>): void {
  if (ids.has(uri) || hasSchema(uri)) throw schemaInvalid("", `the $id ${uri} is that of another schema`);
  ids.add(uri);
}

function build(schema: Json, uri: string): Document {
  try {
    return buildSchemaDocument(documentOf(schema) as Parameters<typeof buildSchemaDocument>[0], uri, dialect);
  } catch {
    throw schemaInvalid("", "an $id or $anchor in it is no URI");
  }
}

const missing = (type: string, own: Walked | undefined) => {
  const reference = own?.references.find(({ to }) => to.startsWith(`/types/${type}`));
  return schemaInvalid(reference?.pointer ?? "", `there is no type ${type}`);
};
