import type { Sql } from "./sql.ts";

/** What writes keep in memory between transactions, such as rules that are compiled from rows. */
export type Kept<T> = {
  /** Made once for each writer. */
  open(sql: Sql): KeptValue<T>;
  /** The value for several writes together, such as one with one bound of time for all of them. */
  together(value: T): T;
};

export type KeptValue<T> = {
  /** The value as it stands in the transaction. */
  read(): Promise<T>;
  /** Drops it, after a rollback. */
  clear(): void;
};

/** Reads what a noun keeps. */
export type KeptReader = <T>(kept: Kept<T>) => Promise<T>;

/** The same, where each value is read once. */
export function readOnce(read: KeptReader): KeptReader {
  const values = new Map<Kept<unknown>, Promise<unknown>>();
  return <T>(kept: Kept<T>) => {
    const value = (values.get(kept) as Promise<T> | undefined) ?? read(kept);
    values.set(kept as Kept<unknown>, value);
    return value;
  };
}

/** The same for several writes together. */
export const readTogether = (read: KeptReader): KeptReader => readOnce(async (kept) => kept.together(await read(kept)));
