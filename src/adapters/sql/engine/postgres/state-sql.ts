import { listing } from "../../index/listing.ts";
import type { ReadSql, Row, Value, ValueType } from "../../sql.ts";
import { bySet, columnsOf, overSets } from "./connection.ts";
import type { PostgresLink } from "./link.ts";

/**
 * Reads of several statements without a transaction, whose BEGIN and COMMIT take longer than most of them: each
 * statement tells which state of the database it saw. When these differ nothing that was read counts.
 */
export class StateSql implements ReadSql {
  private readonly link: PostgresLink;
  private readonly isNewest: (newest: number | undefined) => boolean;
  private snapshot: Value = null;
  private sequence: number | undefined;
  private isSame = true;
  private hasScheduled = true;

  /**
   * `isNewest`: whether what is known without a statement, as of this newest event, counts without asking the server. By
   * default it does not.
   */
  constructor(link: PostgresLink, isNewest: (newest: number | undefined) => boolean = () => false) {
    this.link = link;
    this.isNewest = isNewest;
  }

  /** The newest event of the state; undefined before the first statement, and when there is more than one state. */
  get newest(): number | undefined {
    return this.isSame ? this.sequence : undefined;
  }

  /**
   * The same where every further change has an event. Entries that are scheduled are listed without one: see
   * ../../index/listing.ts.
   */
  get settled(): number | undefined {
    return this.hasScheduled ? undefined : this.newest;
  }

  /** Takes something as read of the state with this newest event. */
  expect(newest: number): void {
    this.sequence ??= newest;
    this.isSame &&= this.sequence === newest;
  }

  /** False when something was committed between two statements, or after what was expected. */
  async isOne(): Promise<boolean> {
    if (this.snapshot === null && !this.isNewest(this.sequence)) await this.rows("SELECT 1");
    return this.isSame;
  }

  async rows(text: string, ...values: Value[]): Promise<Row[]> {
    const rows = await this.link.rows(withState(text), ...values);
    const [snapshot = null, newest, hasScheduled, isRow] = rows[0] as Row;
    this.hasScheduled = hasScheduled === 1;
    this.snapshot ??= snapshot;
    this.isSame &&= snapshot === this.snapshot;
    this.expect(newest as number);
    return isRow === null ? [] : rows.map((row) => row.slice(4));
  }

  async row(text: string, ...values: Value[]): Promise<Row | undefined> {
    return (await this.rows(text, ...values))[0];
  }

  async rowsAll(text: string, sets: readonly Value[][], types: readonly ValueType[]): Promise<Row[][]> {
    const [first, second] = sets;
    if (!first) return [];
    if (!second) return [await this.rows(text, ...first)];
    return bySet(await this.rows(overSets(text, types), ...columnsOf(sets, types)), sets.length);
  }
}

/** What `read` answers or throws of one state of the store; undefined when the store has changed meanwhile. */
export async function inOneState<T>(state: StateSql, read: () => Promise<T>): Promise<{ value: T } | undefined> {
  try {
    const value = await read();
    return (await state.isOne()) ? { value } : undefined;
  } catch (error) {
    if (await state.isOne()) throw error;
    return undefined;
  }
}

/** A text with the state in front of each row; one row without further values where it finds none. */
const withState = (text: string): string =>
  `SELECT state.*, found.* FROM
     (SELECT pg_current_snapshot()::text, coalesce(max(sequence), 0),
        EXISTS (SELECT 1 FROM entry WHERE listing = ${listing.scheduled})::int FROM event) AS state
     LEFT JOIN LATERAL (SELECT 1, one.* FROM (${text}) AS one) AS found ON TRUE`;
