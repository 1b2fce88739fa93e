/**
 * JSON Schema as plain objects, with the TypeScript type of the values that they describe. Only what the routes use;
 * nothing here validates. A library for it has 370 modules, which all load at the start. Decision 44.
 */

/** A schema. `~value` exists for the compiler only: `Static` answers its type. */
export type TSchema = { readonly "~value": unknown };
type Schema<T> = { readonly "~value": T };
export type TOptional<S extends TSchema> = S & { readonly "~optional": true };
export type TProperties = Readonly<Record<string, TSchema>>;
export type TObject<P extends TProperties = TProperties> = Schema<ObjectOf<P>> & { readonly properties: P };

/** The type of the values that a schema describes. */
export type Static<S extends TSchema> = S["~value"];

type OptionalKey<P extends TProperties> = { [K in keyof P]: P[K] extends TOptional<TSchema> ? K : never }[keyof P];
type ObjectOf<P extends TProperties> = { [K in Exclude<keyof P, OptionalKey<P>>]: Static<P[K]> } & {
  [K in OptionalKey<P>]?: Static<P[K]>;
};

/** More keywords: `description`, `minimum`, `examples` … */
type Keywords = Readonly<Record<string, unknown>>;

const schema = <T>(keywords: Keywords): Schema<T> => keywords as unknown as Schema<T>;

/** Whether a property with this schema may be absent. */
export const isOptional = (property: TSchema): boolean => "~optional" in property;

function objectOf<P extends TProperties>(properties: P, more: Keywords = {}): TObject<P> {
  const required = Object.keys(properties).filter((name) => !isOptional(properties[name] as TSchema));
  const keywords = { type: "object", ...(required.length > 0 && { required }), properties, ...more };
  return keywords as unknown as TObject<P>;
}

/** A copy that is marked as optional; the mark is not part of its JSON. */
function optional<S extends TSchema>(property: S): TOptional<S> {
  return Object.defineProperty({ ...property }, "~optional", { value: true }) as TOptional<S>;
}

/** The schemas by kind. */
export const Type = {
  String: (more: Keywords = {}) => schema<string>({ type: "string", ...more }),
  Integer: (more: Keywords = {}) => schema<number>({ type: "integer", ...more }),
  Boolean: (more: Keywords = {}) => schema<boolean>({ type: "boolean", ...more }),
  Null: (more: Keywords = {}) => schema<null>({ type: "null", ...more }),
  Unknown: (more: Keywords = {}) => schema<unknown>(more),
  /** Any keywords, with the type of the values as its caller claims it. */
  Unsafe: <T = unknown>(keywords: Keywords) => schema<T>(keywords),
  Array: <S extends TSchema>(items: S, more: Keywords = {}) => schema<Static<S>[]>({ type: "array", items, ...more }),
  Union: <S extends TSchema>(anyOf: readonly S[], more: Keywords = {}) => schema<Static<S>>({ anyOf, ...more }),
  Object: objectOf,
  Optional: optional,
  /** An object of the same properties, all optional; with none of the other keywords. */
  Partial: ({ properties }: TObject, more: Keywords = {}): TObject =>
    objectOf(Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, optional(each)])), more),
};

/** True when the text has at most so many characters, which are code points in JSON Schema's `maxLength`, too. */
export const isAtMost = (text: string, characters: number): boolean =>
  text.length <= characters || (text.length <= 2 * characters && [...text].length <= characters);
