import type { CollectionQuery } from "../../list/list.ts";
import { cutMark } from "../index/field.ts";
import type { Row } from "../sql.ts";
import { Bound } from "./bound.ts";
import type { ListSql } from "./options.ts";
import { type Probe, probedPage, probeSql } from "./probe.ts";
import type { Effort, Head } from "./source.ts";
import {
  amongTied,
  byCondition,
  type FieldTerm,
  inOrder,
  isDriver,
  type Listed,
  type Statement,
  type Window,
} from "./statement.ts";
import type { RowTest } from "./test.ts";
import { needed } from "./window.ts";

/** Which way a page is read: in its order, by a condition, or by paths among those that share the first value of its order. */

/** A condition with fewer rows is read and sorted; see `leastMet`. */
const mostMet = 2000;
/** Where a walk can be stopped so many rows of a condition are counted first: with fewer it is the shortest way. */
const fewMet = 64;
/** A walk that is longer than `mostCertain` times what is wanted, and than so many rows, is compared with the conditions. */
const leastTried = 128;

/**
 * How many times the rows of a walk a condition may have: its rows are counted, while a walk is longer than guessed where
 * the matches are far down in the order.
 */
const mostCertain = 8;

/** So few items are sorted in any case, and so many are counted at most. */
const [leastTied, mostTied] = [500, 20_000];

/** A walk on another thread that meets so few matches is given up for the rows of a condition, if there is one. */
const mostWalked = 50_000;

export const byConditions = "conditions by index";

/** Stops reading rows that are too many. */
export class GaveUp extends Error {}

/** The rows of a page, and how they were found. */
type Page = { rows: readonly Row[]; by: string };

/** What was found: the condition that the fewest rows meet; the first value of the order, where many have it. */
type Probed = { least?: { test: RowTest; met: number }; tied?: string };

export class Ways {
  private readonly lists: ListSql;
  private readonly head: Readonly<Head>;
  private readonly query: CollectionQuery;
  private readonly effort: Effort;
  private readonly run: (statement: Statement, most?: number) => Promise<readonly Row[]>;

  /** `run` answers the rows of a statement; it throws GaveUp above the effort, or after the rows that it is given. */
  constructor(
    source: { lists: ListSql; head: Readonly<Head> },
    query: CollectionQuery,
    effort: Effort,
    run: Ways["run"],
  ) {
    this.lists = source.lists;
    this.head = source.head;
    this.query = query;
    this.effort = effort;
    this.run = run;
  }

  /** The rows of a window in order. */
  async page(listed: Listed, window: Window): Promise<Page> {
    const { stopsWalks, hasLateral } = this.lists;
    const [first, second] = listed.order;
    const field = first && "keyId" in first ? first : undefined;
    const drivers = this.mayDrive(listed, field) ? driversOf(listed) : [];
    const ordered = field && !second && !listed.isReversed ? { ...listed, field } : undefined;
    const walk = inOrder(listed, hasLateral, window);
    const by = `order by index (${this.indexName()})`;
    if (drivers.length === 0 && !ordered) return { rows: await this.run(walk), by };
    const most = this.leastMet();
    // With fewer rows than the page has a walk would not end before the last one.
    const few = stopsWalks ? Math.min(Math.max(fewMet, needed(this.query)), most) : most;
    const probe: Probe = { drivers, most: few, many: this.manyTied(), ...(ordered && { ordered }) };
    const seen = stopsWalks ? await this.probed(probe, listed) : await this.probedAtOnce(probe, listed, window);
    if ("way" in seen) return { rows: seen.rows, by: seen.way === "order" ? by : byConditions };
    const byDriver = async (test: RowTest) => ({
      rows: await this.run(byCondition(listed, { test }, window)),
      by: byConditions,
    });
    const { least, tied } = seen;
    if (least && least.met < few) return byDriver(least.test);
    // Those with the first value of the order, when they are many and fill the window.
    const among =
      field && tied !== undefined && (await this.walked(amongTied(listed, field, tied, hasLateral, window)));
    if (among && among.length === window.limit)
      return { rows: among.map(([id]) => [id as number, tied as string]), by };
    if (least && few < most) {
      const rows = await this.attempt(walk, Math.max(mostCertain * needed(this.query), leastTried));
      if (rows) return { rows, by };
      const { least } = await this.probed({ drivers, most, many: 0 }, listed);
      if (least && least.met < most) return byDriver(least.test);
    }
    const rows = await this.walked(walk);
    if (rows) return { rows, by };
    const best = await this.bestDriver(listed);
    return best ? byDriver(best) : { rows: await this.run(walk), by };
  }

  /** The condition that the fewest rows meet: where there is one, it is not counted. */
  async bestDriver(listed: Listed): Promise<RowTest | undefined> {
    const drivers = driversOf(listed);
    if (drivers.length < 2) return drivers[0];
    const { least } = await this.probed({ drivers, most: fewMet, many: 0 }, listed);
    return (
      least && least.met < fewMet ? least : (await this.probed({ drivers, most: mostMet, many: 0 }, listed)).least
    )?.test;
  }

  /** Undefined where a walk meets too few matches and may be replaced by another way. */
  private async walked(statement: Statement): Promise<readonly Row[] | undefined> {
    return this.effort.walked > mostWalked ? this.attempt(statement, mostWalked) : this.run(statement);
  }

  /** Undefined after that many rows. */
  private async attempt(statement: Statement, most: number): Promise<readonly Row[] | undefined> {
    return this.run(statement, Math.min(most, this.effort.walked)).catch((error: unknown) => {
      if (error instanceof GaveUp) return undefined;
      throw error;
    });
  }

  private async probed(probe: Probe, listed: Listed): Promise<Probed> {
    const b = new Bound();
    const [row = []] = await this.run({ text: probeSql(b, listed, probe), values: b.values });
    return probedOf(probe, row);
  }

  /** The page with the probe, in one round trip to a server, where the probe lets it; otherwise the probe alone. */
  private async probedAtOnce(
    probe: Probe,
    listed: Listed,
    window: Window,
  ): Promise<Probed | { way: string; rows: Row[] }> {
    const { text, values, columns } = probedPage(listed, probe, window);
    const rows = await this.run({ text, values });
    const [first = []] = rows;
    const seen = probedOf(probe, first);
    const isFew = seen.least !== undefined && seen.least.met < probe.most;
    const way = isFew ? (probe.drivers.length === 1 ? "condition" : undefined) : "order";
    if (!way || (!isFew && tiedIn(probe, first) > probe.many)) return seen;
    const found = first[columns] === null ? [] : rows.map((row) => row.slice(columns));
    return { way, rows: found };
  }

  /** False where a walk in the order reads nothing but matches. */
  private mayDrive({ filter }: Listed, first: FieldTerm | undefined): boolean {
    const [only, ...more] = filter.all;
    return !(first && only?.field?.keyId === first.keyId && more.length === 0);
  }

  /**
   * The rows of a condition from which on a walk is shorter: of N rows c meet it, then the condition reads c, and a walk about
   * wanted × N / c.
   */
  private leastMet(): number {
    return Math.min(Math.ceil(Math.sqrt(mostCertain * needed(this.query) * this.head.size)), mostMet);
  }

  /** More items with the first value of the order, t, are not sorted by path: paths are walked, about wanted × N / t. */
  private manyTied(): number {
    return Math.ceil(Math.min(Math.max(leastTied, Math.sqrt(needed(this.query) * this.head.size)), mostTied));
  }

  private indexName(): string {
    return this.query.order.map(({ source, key }) => (source === "field" ? key : source)).join(", ") || "path";
  }
}

/** Conditions that each match meets, whose rows the index has. */
const driversOf = ({ filter }: Listed): RowTest[] => (filter.any ? [] : filter.all.filter(isDriver));

/** What the first columns of a row say. */
function probedOf(probe: Probe, row: Row): Probed {
  const found = probe.drivers.map((test, i) => ({ test, met: row[i] as number }));
  const value = row[found.length] as string | null;
  const isTied = tiedIn(probe, row) > probe.many && value !== null && !value.endsWith(cutMark);
  return {
    ...(found.length > 0 && { least: found.reduce((least, each) => (each.met < least.met ? each : least)) }),
    ...(isTied && { tied: value }),
  };
}

/** How many have the first value of the order. */
const tiedIn = ({ drivers, ordered }: Probe, row: Row): number => (ordered ? (row[drivers.length + 1] as number) : 0);
