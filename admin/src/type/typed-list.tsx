import type { ReactNode } from "react";
import type { ContentType } from "../../../client/src/client.ts";
import type { Entry } from "../api/entry.ts";
import type { Json } from "../api/json.ts";
import { joinPath } from "../api/path.ts";
import { say } from "../language/say.ts";
import type { FieldKind, FieldOption, FilterField } from "../model/filter/filter-field.ts";
import { type Field, readSchema, type Shape } from "../model/form/schema.ts";
import { withPaths } from "../model/types.ts";
import { LeadPicture, TypedValue } from "./typed-value.tsx";

/** A column of a list, for a field of the type that its entries have. */
export type TypedColumn = { field: string; label: string; isSortable: boolean; show(entry: Entry): ReactNode };
/** A field that a filter can name; its label says its kind. */
export type FieldHint = FilterField & { label: string };
export type TypedList = {
  /** Those of all fields on one line; the first `usual` are shown unless others are chosen. */
  columns: readonly TypedColumn[];
  usual: number;
  hints: readonly FieldHint[];
  /** The picture of an entry, where its type has one. */
  lead?(entry: Entry): ReactNode;
};
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
  const short = fields.filter(({ name }) => !elsewhere.has(name)).map((field) => ({ ...field, shape: field.shape() }));
  const scalars = short.filter(({ shape }) => isScalar(shape));
  const lists = short.filter(({ shape }) => isOnLine(shape));
  const columns = [...scalars, ...lists].map(({ name, shape }) => columnOf(name, shape));
  const picture = fields.find((field) => isPicture(field))?.name;
  return {
    columns,
    usual: Math.min(mostColumns, scalars.length),
    hints: hintsOf(fields, "", 0),
    ...(picture !== undefined && { lead: (entry: Entry) => <LeadPicture path={ownOf(entry, picture)} /> }),
  };
}

const isPicture = (field: Field): boolean => {
  const shape = field.shape();
  return shape.kind === "text" && shape.input === "file";
};

const ownOf = (entry: Entry, name: string): Json | undefined => (Object.hasOwn(entry, name) ? entry[name] : undefined);

const isScalar = (shape: Shape): boolean =>
  (shape.kind === "text" && !shape.isLong) || ["number", "switch", "choice"].includes(shape.kind);

/** A list that is told on one line. */
const isOnLine = (shape: Shape): boolean =>
  shape.kind === "tags" || shape.kind === "checks" || (shape.kind === "list" && isScalar(shape.item()));

const columnOf = (name: string, shape: Shape): TypedColumn => ({
  field: name,
  label: shape.title ?? name,
  // With a dot the service reads a path.
  isSortable: !name.includes("."),
  show: (entry) => <TypedValue shape={shape} value={ownOf(entry, name)} />,
});

const mostLevels = 3;

function hintsOf(fields: readonly Field[], above: string, level: number): FieldHint[] {
  return fields
    .filter(({ name }) => !name.includes("."))
    .flatMap((field) => {
      const shape = field.shape();
      const key = `${above}${field.name}`;
      if (shape.kind === "object" && level < mostLevels) return hintsOf(shape.fields, `${key}.`, level + 1);
      const label = [shape.title, wordOf(shape)].filter(Boolean).join(", ");
      const types = typesOf(shape.kind === "list" ? shape.item() : shape);
      return [{ key, name: shape.title ?? key, label, kind: kindOf(shape), options: optionsOf(shape), types }];
    });
}

/** The types of the entries that it refers to; undefined for all other data. */
const typesOf = (shape: Shape): readonly string[] | undefined =>
  shape.kind === "text" && shape.input === "entry" ? shape.narrowed : undefined;

function kindOf(shape: Shape): FieldKind {
  if (typesOf(shape)) return "entry";
  if (shape.kind === "list" && typesOf(shape.item())) return "entries";
  if (shape.kind === "text") return shape.input === "date" ? "day" : shape.input === "date-time" ? "moment" : "text";
  if (shape.kind === "switch") return "choice";
  if (shape.kind === "list") return optionsOf(shape) ? "choices" : "any";
  if (shape.kind === "checks" || shape.kind === "tags") return "choices";
  return shape.kind === "number" || shape.kind === "choice" ? shape.kind : shape.kind === "prose" ? "text" : "any";
}

function optionsOf(shape: Shape): FieldOption[] | undefined {
  if (shape.kind === "switch")
    return [
      { value: "true", label: say("Yes") },
      { value: "false", label: say("No") },
    ];
  if (shape.kind === "choice" || shape.kind === "checks") {
    const options = shape.options.map(({ value, label }) => ({
      value: typeof value === "string" ? value : JSON.stringify(value),
      label,
      isText: typeof value === "string",
    }));
    return [...new Map(options.map((option) => [option.value, option])).values()];
  }
  return shape.kind === "list" ? optionsOf(shape.item()) : undefined;
}

const words: Readonly<Record<Shape["kind"], string>> = {
  ...{
    text: say("text"),
    prose: say("long text"),
    number: say("number"),
    switch: say("yes or no"),
    choice: say("choice"),
  },
  ...{
    tags: say("tags"),
    checks: say("choices"),
    object: say("group"),
    list: say("list"),
    variants: say("any of several"),
    json: "JSON",
  },
};
const inputWords: Partial<Record<string, string>> = {
  ...{
    date: say("date"),
    time: say("time"),
    "date-time": say("date and time"),
    color: say("colour"),
    url: say("link"),
    link: say("link"),
    email: say("e-mail"),
  },
  ...{ entry: say("entry"), file: say("file") },
};

const wordOf = (shape: Shape): string =>
  (shape.kind === "text" ? inputWords[shape.input] : undefined) ?? words[shape.kind];
