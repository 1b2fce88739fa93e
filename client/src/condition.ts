import type { FieldName, Fields, FieldValue } from "./field.ts";

/** The types of conditions on fields. Types only: no code at run time. */

/** A condition as it is sent. */
export type WireCondition = { key: string; operator: string; value: unknown };

/**
 * Conditions joined with "and", or alternatives joined with "or". `U` is the fields they use: see Use; any by default.
 */
export interface Filter<out U = Uses<Fields>> {
  readonly all: readonly WireCondition[];
  readonly any: readonly WireCondition[];
  /** Also matches whatever meets one of these conditions, regardless of the others. */
  or<C extends Condition<unknown>[]>(...conditions: C): Filter<U | UsedBy<C[number]>>;
  readonly [uses]?: U;
}
/** Conditions that must all be met. */
export interface Conjunction<out U> extends Filter<U> {
  and<C extends Conjunction<unknown>[]>(...conditions: C): Conjunction<U | UsedBy<C[number]>>;
}
export interface Condition<out U> extends Conjunction<U> {
  readonly [single]: true;
}
declare const uses: unique symbol;
declare const single: unique symbol;

type UsedBy<F> = F extends Filter<infer U> ? U : never;

/** A field's name, and the type of the value it is compared with: `never` where that was checked already. */
export type Use<Name, V> = readonly [name: Name, value: V];
/** All uses that fit an object: a filter with any other use is a type error. */
export type Uses<T> = { [Name in FieldName<T>]: Use<Name, Widened<Item<FieldValue<T, Name>>>> }[FieldName<T>];

type Item<V> = NonNullable<V> extends readonly (infer I)[] ? I : V;
type Widened<V> = unknown extends V ? V : Texts<V> | Numbers<V> | Booleans<V> | Extract<V, null>;
type Texts<V> = [Extract<V, string>] extends [never] ? never : string;
type Numbers<V> = [Extract<V, number>] extends [never] ? never : number;
type Booleans<V> = [Extract<V, boolean>] extends [never] ? never : boolean;

/** A time: Unix seconds, a date, an ISO 8601 text, or `yesterday`, `7 days ago` and the like. */
export type Moment = number | string | Date;
type Scalar = string | number | boolean;

/** The operators of every field. In these types `N` is the field's name, and `V` the type of its value. */
type Presence<N> = {
  /** The field exists, whatever its value; `exists(false)`: it does not exist. */
  exists(isThere?: boolean): Condition<Use<N, never>>;
};
type Equality<N, V> = {
  /** Equals this value; for a list: contains it. */
  eq(value: V): Condition<Use<N, never>>;
  /** Has another value, or does not exist. */
  neq(value: V): Condition<Use<N, never>>;
  /** Is one of these values; at most 100. */
  in(values: readonly V[]): Condition<Use<N, never>>;
  nin(values: readonly V[]): Condition<Use<N, never>>;
};
type Order<N, V> = {
  lt(value: V): Condition<Use<N, never>>;
  lte(value: V): Condition<Use<N, never>>;
  gt(value: V): Condition<Use<N, never>>;
  gte(value: V): Condition<Use<N, never>>;
  /** Is between these two values, both included. */
  between(low: V, high: V): Condition<Use<N, never>>;
  nbetween(low: V, high: V): Condition<Use<N, never>>;
};
type Time<N> = {
  /** Is a time after this one. */
  newer(moment: Moment): Condition<Use<N, never>>;
  older(moment: Moment): Condition<Use<N, never>>;
};
type Text<N> = {
  /** Contains this text; case-sensitive. */
  contains(text: string): Condition<Use<N, string>>;
  ncontains(text: string): Condition<Use<N, string>>;
  startsWith(text: string): Condition<Use<N, string>>;
  endsWith(text: string): Condition<Use<N, string>>;
  /** Matches a regular expression in RE2 syntax; `(?i)` in front makes it case-insensitive. */
  regexp(pattern: string): Condition<Use<N, string>>;
  nregexp(pattern: string): Condition<Use<N, string>>;
};
type List<N, V> = {
  /** Is a list that contains this value. */
  memberOf(value: V): Condition<Use<N, never>>;
};

/** Null can be compared for equality, but not for order. */
type Fitting<N, V, S = NonNullable<V>> = ([S] extends [Scalar] ? Equality<N, Exclude<V, undefined>> : unknown) &
  ([S] extends [string] ? Order<N, S> & Text<N> & Time<N> : unknown) &
  ([S] extends [number] ? Order<N, S> & Time<N> : unknown) &
  Presence<N>;
type ListFitting<N, V> = V extends readonly unknown[] ? List<N, NonNullable<Item<V>>> : unknown;

/** The operators that fit a value. A list is compared by its items. */
type Operators<N, V> = Fitting<N, Item<V>> & ListFitting<N, NonNullable<V>>;

/** The operators of a field of which only the name is known: the type records what it is compared with. */
type AnyOperators<N> = Presence<N> &
  Text<N> &
  Time<N> & {
    [O in keyof Equality<N, 0>]: <V extends Scalar | null>(
      value: O extends "in" | "nin" ? readonly V[] : V,
    ) => Condition<Use<N, V>>;
  } & {
    [O in keyof Order<N, 0>]: <V extends string | number>(
      ...values: O extends "between" | "nbetween" ? [low: V, high: V] : [value: V]
    ) => Condition<Use<N, V>>;
  } & { memberOf<V extends Scalar>(value: V): Condition<Use<N, V>> };

/** Names a field of `T`, by a dotted name, and offers the operators that fit it. */
export type Where<T> = <Name extends FieldName<T>>(
  field: Name,
) => unknown extends FieldValue<T, Name> ? AnyOperators<Name> : Operators<Name, FieldValue<T, Name>>;
