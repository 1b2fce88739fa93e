import type { ContentType } from "../../../../client/src/client.ts";
import { isObject, type Json, type JsonObject } from "../../api/json.ts";
import { say } from "../../language/say.ts";
import { ownFields } from "../draft/draft.ts";
import { type Field, readSchema, type Shape } from "./schema.ts";
import { initialOf, isShown, variantOf } from "./value.ts";

/** The data of an entry as a form of its type. */
export type TypeForm = {
  shape: Shape;
  fields: readonly Field[];
  /** True for a field without a place in the schema that the entry has; for `title` also where the type accepts it. */
  shows(name: string, draft: JsonObject): boolean;
};

/** The shape of the data of a type. */
export function shapeOf(id: string, all: readonly ContentType[]): Shape {
  const schemas = new Map(all.map((type) => [type.id, type.schema as Json]));
  return readSchema(id, (other) => schemas.get(other));
}

/** The form of the data; of the variant that they are most likely of. */
export function formOf(shape: Shape, draft: JsonObject): TypeForm {
  const found = shape.kind === "variants" ? shape.variants[variantOf(shape.variants, draft)]?.shape() : shape;
  const object = found?.kind === "object" ? found : undefined;
  const fields = object ? object.fields.filter(({ name }) => isClients(name)).map(withProse) : [];
  const named = new Set(fields.map(({ name }) => name));
  const isClosed = object?.isClosed ?? false;
  const isEmpty = (value: Json | undefined): boolean => value === undefined || value === "";
  return {
    shape: found ?? shape,
    fields,
    // The service gives each entry an empty `content`: who models the data without it does not see it.
    shows: (name, now) =>
      !named.has(name) && ((name === "title" && !isClosed) || !isEmpty(now[name]) || !isEmpty(draft[name])),
  };
}

/** The service's own fields, and `fieldset`, are not of the schema. Contract, part two, §9. */
const isClients = (name: string): boolean => name !== "fieldset" && Object.hasOwn(ownFields({ [name]: null }), name);

/** The text of an entry is Markdown, unless its schema says otherwise. */
function withProse(field: Field): Field {
  if (field.name !== "content") return field;
  const { name, isRequired } = field;
  const shape = field.shape();
  if (shape.kind !== "text" || shape.input !== "text" || shape.isPlain) return field;
  const { kind: _kind, input: _input, isLong: _long, isPlain: _plain, narrowed: _narrowed, ...common } = shape;
  const prose: Shape = { ...common, title: common.title ?? say("Content"), kind: "prose", language: "markdown" };
  return { name, isRequired, shape: () => prose };
}

/** The data of a new entry: its title, and the defaults and constants, as far as the type accepts them. */
export function newData(title: string, id: string, all: readonly ContentType[]): JsonObject {
  const form = formOf(shapeOf(id, all), {});
  const initial = initialOf(form.shape);
  return {
    ...(isObject(initial) && ownFields(initial)),
    ...(acceptsTitle(form) && { title }),
  };
}

function acceptsTitle({ fields, shows }: TypeForm): boolean {
  const shape = fields.find(({ name }) => name === "title")?.shape();
  return shape ? isShown(shape, "") && shape.kind !== "choice" : shows("title", {});
}
