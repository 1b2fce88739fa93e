import { exactAnswerOf, foreignAnswer } from "../cli/ask.ts";
import { UsageError } from "../cli/command.ts";
import { formatJson, isJsonObject, type Json, type JsonObject } from "../core/lib/json.ts";
import { nearest } from "../core/lib/nearest.ts";
import type { Ask } from "../operator.ts";
import { type ContentType, type SchemaFault, typeKeys } from "./type.ts";

/** Types as commands read them: of the API, of a store or of a service, and what a file of one may have. */

/** A type as the API answers it. */
export type AnsweredType = ContentType & { readonly fault?: SchemaFault | undefined };

/** All types that the caller sees, in the order of their ids. */
export async function typesOf(ask: Ask): Promise<AnsweredType[]> {
  const answered = await exactAnswerOf(ask, "GET /api/types", { limit: 100 });
  if (!Array.isArray(answered)) throw foreignAnswer();
  return answered.map(readType);
}

/** The type with this id. Rejects with type_not_found. */
export const typeOf = async (ask: Ask, id: string): Promise<AnsweredType> =>
  readType(await exactAnswerOf(ask, "GET /api/types", { id }));

/** The schema has its numbers as they were written. Throws CommandError for what is no type. */
function readType(answered: Json): AnsweredType {
  const schema = isJsonObject(answered) ? answered.get("schema") : undefined;
  if (!isJsonObject(answered) || schema === undefined) throw foreignAnswer();
  const facts = new Map(answered);
  facts.delete("schema");
  return { ...(JSON.parse(formatJson(facts)) as Omit<AnsweredType, "schema">), schema: formatJson(schema) };
}

/** Throws UsageError for what no type object has. */
export function refuseUnknownKeys(sent: JsonObject, name: string): void {
  const unknown = [...sent.keys()].find((key) => !typeKeys.includes(key));
  if (unknown === undefined) return;
  const near = nearest(unknown, typeKeys);
  throw new UsageError(`${name} has the key "${unknown}"; expected ${near ? `"${near}"` : typeKeys.join(", ")}`);
}
