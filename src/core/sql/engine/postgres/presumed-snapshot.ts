import { Problem } from "../../../problem.ts";
import { Bound } from "../../list/bound.ts";
import type { ListSql } from "../../list/options.ts";
import { NotPresumed, type Presumed } from "../../list/presumed.ts";
import type { Row, Value, ValueType } from "../../sql.ts";
import type { Postgres } from "./connection.ts";

/**
 * Statements without a transaction, each with the newest event. Every write of what lists read appends one, so that those
 * that have the same read one state of the store. Throws NotPresumed where they do not.
 */
export class PresumedSnapshot implements ListSql, Presumed {
  readonly isServer = true;
  readonly sizes: Presumed["sizes"];
  readonly layered: Presumed["layered"];
  /** The newest event; undefined before the first statement was answered. */
  newest: number | undefined;
  private readonly postgres: Postgres;
  private facts: Parameters<Presumed["first"]>[0] = () => [];
  private hear: Parameters<Presumed["first"]>[1] = () => undefined;

  constructor(postgres: Postgres, { sizes, layered }: Pick<Presumed, "sizes" | "layered">) {
    this.postgres = postgres;
    this.sizes = sizes;
    this.layered = layered;
  }

  first(...[facts, hear]: Parameters<Presumed["first"]>): void {
    this.facts = facts;
    this.hear = hear;
  }

  /** What `read` answers or throws. Throws NotPresumed where it did so without a statement: the facts come first. */
  async checked<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      throw error instanceof Problem && this.newest === undefined ? new NotPresumed() : error;
    }
  }

  async rows(text: string, ...values: Value[]): Promise<Row[]> {
    return this.rowsWatched(() => undefined, text, ...values);
  }

  async rowsWatched(watch: () => void, text: string, ...values: Value[]): Promise<Row[]> {
    const b = new Bound(values);
    const facts = this.newest === undefined ? this.facts(b) : [];
    const head = ["(SELECT coalesce(max(sequence), 0) FROM event)", ...facts].join(", ");
    // A join with one row keeps the order of the others. Without others it has one, in which all else is null.
    const rows = await this.postgres.rowsWatched(
      watch,
      `SELECT head.*, given.* FROM (SELECT ${head}) AS head LEFT JOIN (SELECT 1, found.* FROM (${text}) AS found) AS given ON TRUE`,
      ...b.values,
    );
    const [first] = rows as [Row];
    const own = 1 + facts.length;
    const [newest, ...told] = first.slice(0, own) as [number, ...Row];
    if (this.newest !== undefined && this.newest !== newest) throw new NotPresumed();
    this.newest = newest;
    if (facts.length > 0) this.hear(told);
    return first[own] === null ? [] : rows.map((row) => row.slice(own + 1));
  }

  async row(text: string, ...values: Value[]): Promise<Row | undefined> {
    return (await this.rows(text, ...values))[0];
  }

  rowsAll(text: string, sets: readonly Value[][], _types: readonly ValueType[]): Promise<Row[][]> {
    return Promise.all(sets.map((values) => this.rows(text, ...values)));
  }
}
