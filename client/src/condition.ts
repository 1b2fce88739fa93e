import type { FieldName, Fields, FieldValue } from "./field.ts";

/** What a filter may say of which field. Types alone: nothing of this runs. */

/** A condition as it is sent. */
export type WireCondition = { key: string; operator: string; value: unknown };

/** All of some conditions, or one of others. `U` is what they use: see Use; anything at all without it. */
export interface Filter<out U = Uses<Fields>> {
  readonly all: readonly WireCondition[];
  readonly any: readonly WireCondition[];
  /** Lets through what meets one of these conditions, whatever else was said. */
  or<C extends Condition<unknown>[]>(...conditions: C): Filter<U | UsedBy<C[number]>>;
  readonly [uses]?: U;
}
/** Conditions all of which must be met. */
export interface Conjunction<out U> extends Filter<U> {
  and<C extends Conjunction<unknown>[]>(...conditions: C): Conjunction<U | UsedBy<C[number]>>;
}
export interface Condition<out U> extends Conjunction<U> {
  readonly [single]: true;
}
declare const uses: unique symbol;
declare const single: unique symbol;

type UsedBy<F> = F extends Filter<infer U> ? U : never;

/** A field's name, and the type of what it is compared with: `never` where that was seen to fit already. */
export type Use<Name, V> = readonly [name: Name, value: V];
/** All uses that fit an object: a filter that uses anything else is not for it. */
export type Uses<T> = { [Name in FieldName<T>]: Use<Name, Widened<Item<FieldValue<T, Name>>>> }[FieldName<T>];

type Item<V> = NonNullable<V> extends readonly (infer I)[] ? I : V;
type Widened<V> = unknown extends V ? V : Texts<V> | Numbers<V> | Booleans<V> | Extract<V, null>;
type Texts<V> = [Extract<V, string>] extends [never] ? never : string;
type Numbers<V> = [Extract<V, number>] extends [never] ? never : number;
type Booleans<V> = [Extract<V, boolean>] extends [never] ? never : boolean;

/** A moment: Unix seconds, a date, an ISO 8601 text, or `yesterday`, `7 days ago` and the like. */
export type Moment = number | string | Date;
type Scalar = string | number | boolean;

/** What every field has. In these types `N` is the field's name, and `V` what it holds. */
type Presence<N> = {
  /** Is there, whatever it holds; `exists(false)`: is not there. */
  exists(isThere?: boolean): Condition<Use<N, never>>;
};
type Equality<N, V> = {
  /** Is this value; of a list: holds it. */
  eq(value: V): Condition<Use<N, never>>;
  /** Is another value, or is missing. */
  neq(value: V): Condition<Use<N, never>>;
  /** Is one of these; at most 100. */
  in(values: readonly V[]): Condition<Use<N, never>>;
  nin(values: readonly V[]): Condition<Use<N, never>>;
};
type Order<N, V> = {
  lt(value: V): Condition<Use<N, never>>;
  lte(value: V): Condition<Use<N, never>>;
  gt(value: V): Condition<Use<N, never>>;
  gte(value: V): Condition<Use<N, never>>;
  /** Is neither below the first nor above the second. */
  between(low: V, high: V): Condition<Use<N, never>>;
  nbetween(low: V, high: V): Condition<Use<N, never>>;
};
type Time<N> = {
  /** Is a moment after this one. */
  newer(moment: Moment): Condition<Use<N, never>>;
  older(moment: Moment): Condition<Use<N, never>>;
};
type Text<N> = {
  /** Holds this text; upper and lower case differ. */
  contains(text: string): Condition<Use<N, string>>;
  ncontains(text: string): Condition<Use<N, string>>;
  startsWith(text: string): Condition<Use<N, string>>;
  endsWith(text: string): Condition<Use<N, string>>;
  /** Matches a regular expression in the syntax of RE2; `(?i)` in front disregards case. */
  regexp(pattern: string): Condition<Use<N, string>>;
  nregexp(pattern: string): Condition<Use<N, string>>;
};
type List<N, V> = {
  /** Is a list and holds this value. */
  memberOf(value: V): Condition<Use<N, never>>;
};

/** Null is a value to be equal to, and none to be ordered by. */
type Fitting<N, V, S = NonNullable<V>> = ([S] extends [Scalar] ? Equality<N, Exclude<V, undefined>> : unknown) &
  ([S] extends [string] ? Order<N, S> & Text<N> & Time<N> : unknown) &
  ([S] extends [number] ? Order<N, S> & Time<N> : unknown) &
  Presence<N>;
type ListFitting<N, V> = V extends readonly unknown[] ? List<N, NonNullable<Item<V>>> : unknown;

/** The operators that fit a value. A list is compared by its items. */
type Operators<N, V> = Fitting<N, Item<V>> & ListFitting<N, NonNullable<V>>;

/** The operators of a field of which only the name is known: what it is compared with is remembered. */
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
