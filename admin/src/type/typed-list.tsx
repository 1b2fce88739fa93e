import type { ReactNode } from "react";
import type { ContentType } from "../../../client/src/client.ts";
import type { Entry } from "../api/entry.ts";
import type { Json } from "../api/json.ts";
import { joinPath } from "../api/path.ts";
import { type Field, readSchema, type Shape } from "../form/schema.ts";
import { TypedValue } from "./typed-value.tsx";
import { withPaths } from "./types.ts";

/** A column of a list, for a field of the type that its entries have. */
export type TypedColumn = { field: string; label: string; isSortable: boolean; show(entry: Entry): ReactNode };
/** A field that a filter can name, and the values that it can have when these are few. */
export type FieldHint = { key: string; label: string; values: readonly HintValue[] };
/** A value as a filter has it, and what it is called. */
export type HintValue = { value: string; label: string };
export type TypedList = { columns: readonly TypedColumn[]; hints: readonly FieldHint[] };
/** What is known about the entries below a path; undefined when they are not all of one type. */
export type TypedListOf = (path: string, entries: readonly Entry[]) => TypedList | undefined;

export function typedLists(all: ContentType[]): TypedListOf {
  const { typeOf } = withPaths(all);
  const schemas = new Map(all.map(({ id, schema }) => [id, schema as Json]));
  const known = new Map<string, TypedList>();
  return (path, entries) => {
    const ids = new Set(entries.map(({ slug, fieldset }) => typeOf(slug, fieldset)?.id));
    // A filter that nothing matches is still one of these fields.
    if (entries.length === 0) ids.add(typeOf(joinPath(path, "a"), undefined)?.id);
    const [id, ...others] = ids;
    if (id === undefined || others.length > 0) return undefined;
    const found = known.get(id) ?? listOf(readSchema(id, (type) => schemas.get(type)));
    known.set(id, found);
    return found;
  };
}

const mostColumns = 4;
/** In the first column already, or too long for one. */
const elsewhere = new Set(["title", "content", "fieldset"]);

function listOf(shape: Shape): TypedList {
  const fields = shape.kind === "object" ? shape.fields : [];
  const columns = fields
    .filter(({ name }) => !elsewhere.has(name))
    .map((field) => ({ field, shape: field.shape() }))
    .filter(({ shape }) => isScalar(shape))
    .slice(0, mostColumns)
    .map(({ field: { name }, shape }) => columnOf(name, shape));
  return { columns, hints: hintsOf(fields, "", 0) };
}

const isScalar = (shape: Shape): boolean =>
  (shape.kind === "text" && !shape.isLong) || ["number", "switch", "choice"].includes(shape.kind);

const columnOf = (name: string, shape: Shape): TypedColumn => ({
  field: name,
  label: shape.title ?? name,
  // With a dot the service reads a path.
  isSortable: !name.includes("."),
  show: (entry) => <TypedValue shape={shape} value={Object.hasOwn(entry, name) ? entry[name] : undefined} />,
});

const mostLevels = 3;

function hintsOf(fields: readonly Field[], above: string, level: number): FieldHint[] {
  return fields
    .filter(({ name }) => !name.includes("."))
    .flatMap((field) => {
      const shape = field.shape();
      const key = `${above}${field.name}`;
      if (shape.kind === "object" && level < mostLevels) return hintsOf(shape.fields, `${key}.`, level + 1);
      return [{ key, label: [shape.title, wordOf(shape)].filter(Boolean).join(", "), values: valuesOf(shape) }];
    });
}

function valuesOf(shape: Shape): HintValue[] {
  if (shape.kind === "switch") return yesOrNo;
  if (shape.kind === "choice" || shape.kind === "checks")
    return shape.options.map(({ value, label }) => ({
      value: typeof value === "string" ? value : JSON.stringify(value),
      label,
    }));
  return shape.kind === "list" ? valuesOf(shape.item()) : [];
}

const yesOrNo = [
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];

const words: Readonly<Record<Shape["kind"], string>> = {
  ...{ text: "text", prose: "long text", number: "number", switch: "yes or no", choice: "choice" },
  ...{ tags: "tags", checks: "choices", object: "group", list: "list", variants: "any of several", json: "JSON" },
};
const inputWords: Partial<Record<string, string>> = {
  ...{ date: "date", time: "time", "date-time": "date and time", color: "colour", url: "link", email: "e-mail" },
  ...{ entry: "entry", file: "file" },
};

const wordOf = (shape: Shape): string =>
  (shape.kind === "text" ? inputWords[shape.input] : undefined) ?? words[shape.kind];
