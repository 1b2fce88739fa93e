import { findNumber, type ReadSql } from "../sql.ts";

/** Clients choose the names: a bound keeps a flood of names from filling the memory. */
const maxKnown = 10_000;

/** The numbers of the keys in the index. A number is never given to another key, so what was read once stays true. */
export class KeyNumbers {
  private readonly known = new Map<string, number>();

  /** Undefined for a key that no entry has had. */
  async find(sql: ReadSql, name: string): Promise<number | undefined> {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const number = await findNumber(sql, "SELECT id FROM field_key WHERE name = ?1", name);
    if (number === undefined) return undefined;
    if (this.known.size >= maxKnown) this.known.clear();
    this.known.set(name, number);
    return number;
  }
}
