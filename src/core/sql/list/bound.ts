import type { Value } from "../sql.ts";

/** The values of a statement that is being written: each gets the next parameter. */
export class Bound {
  readonly values: Value[];

  /** `before`: those that the statement has already. */
  constructor(before: readonly Value[] = []) {
    this.values = [...before];
  }

  /** The name of the parameter with this value. */
  put(value: Value): string {
    this.values.push(value);
    return `?${this.values.length}`;
  }

  /** The same for a text where a server cannot infer the type. */
  text(value: string): string {
    return `CAST(${this.put(value)} AS TEXT)`;
  }

  /** The same for a whole number. */
  whole(value: number): string {
    return `CAST(${this.put(value)} AS BIGINT)`;
  }
}
