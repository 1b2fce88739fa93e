/** The fields of an object, by dotted names, and the operators that fit them. Types only: no code at run time. */

/** The fields of an object of unknown type. */
// biome-ignore lint/suspicious/noExplicitAny: a field of which nothing is known may be compared with anything
export type Fields = Record<string, any>;

type Steps = readonly 0[];
type IsUnknown<V> = unknown extends V ? true : false;

/** The dotted names of an object's fields, down to the fourth level: `origin.country`, `tags.0`. */
export type FieldName<T, Deep extends Steps = []> = Deep["length"] extends 4
  ? never
  : NonNullable<T> extends readonly (infer Item)[]
    ? `${number}` | `${number}.${FieldName<Item, [...Deep, 0]>}`
    : NonNullable<T> extends object
      ? MemberName<NonNullable<T>, Deep>
      : never;
type MemberName<T, Deep extends Steps> = {
  [K in keyof T & string]: IsUnknown<T[K]> extends true ? K : K | `${K}.${FieldName<T[K], [...Deep, 0]>}`;
}[keyof T & string];

/** The type of the field with a dotted name. */
export type FieldValue<T, Name extends string> = Name extends keyof T
  ? T[Name]
  : T extends readonly (infer Item)[]
    ? Name extends `${number}.${infer Rest}`
      ? FieldValue<NonNullable<Item>, Rest>
      : Item
    : Name extends `${infer Head}.${infer Rest}`
      ? Head extends keyof T
        ? FieldValue<NonNullable<T[Head]>, Rest>
        : unknown
      : unknown;

/** An object of which only some fields were requested. */
export type Projected<T> =
  IsUnknown<T> extends true
    ? T
    : T extends readonly (infer Item)[]
      ? Projected<Item>[]
      : T extends object
        ? { [K in keyof T]?: Projected<T[K]> }
        : T;

/** Optional members may be undefined, also with exactOptionalPropertyTypes. */
export type OrUndefined<T> = { [K in keyof T]: T extends Record<K, T[K]> ? T[K] : T[K] | undefined };
