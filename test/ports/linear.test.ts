// Slow: eight clients write and read at once on two nodes, on both engines.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Event } from "../../src/core/event.ts";
import type { Path, Slug } from "../../src/core/path.ts";
import { Problem } from "../../src/core/problem.ts";
import { formatRevision } from "../../src/core/revision.ts";
import { openPostgresStore, openSqliteStore, type SqlStore } from "../../src/database.ts";
import { orLong } from "../long.ts";
import { lacksPostgres } from "../postgres.ts";
import { random } from "../random.ts";
import { postgresOptions } from "./postgres-options.ts";
import { sqliteOptions } from "./sqlite-options.ts";

/**
 * Writes of several nodes are linearizable: they take effect one after another, in the order of the event log, each
 * between its start and its end; a refusal and a read of a client that manages content show a state of that time.
 */

const clients = 8;
const calls = orLong(60, 1500);
const paths = ["a", "b", "a/x", "a/y", "b/x", "c/deep/z"].map((path) => `lin/${path}` as Slug);

type Kind = "read" | "create" | "update" | "tagged" | "move" | "copy" | "delete";
type Call = {
  actor: string;
  kind: Kind;
  path: Slug;
  target: Slug;
  /** Times of the test's own clock, which rises with each start and end. */
  start: number;
  end: number;
  tag: number;
  /** The revision that was read or written; undefined for none. */
  revision: number | undefined;
  code: string | undefined;
};
/** The state of one path after each event that changed it. */
type States = { sequence: number; revision: number | undefined }[];

for (const [name, skip, openTwo] of [
  ["SQLite", undefined, twoOnSqlite],
  ["PostgreSQL", lacksPostgres() || undefined, twoOnPostgres],
] as const) {
  describe(name, { skip }, () => {
    test("writes of eight clients on two nodes are linearizable", async (t) => {
      const stores = await openTwo();
      t.after(() => Promise.all(stores.map((store) => store.close())));
      const made = await callAll(stores);
      const [store] = stores;
      const events = await eventsOf(store as SqlStore);
      checkOrder(made, events);
      checkStates(made, events);
      assert.deepEqual(await store?.verify(), []);
    });

    test("nodes that write other entries below new parents, with new keys, do not stop each other", async (t) => {
      const stores = await openTwo();
      t.after(() => Promise.all(stores.map((store) => store.close())));
      const create = (store: SqlStore, node: number, n: number) => {
        // Each node meets the same new parents and keys in an order of its own.
        const place = node === 0 ? n % 7 : 6 - (n % 7);
        const data = JSON.stringify({
          [`key ${place}`]: n,
          [`key ${(place + 3) % 7}`]: n,
          text: `text ${n} of ${node}`,
        });
        const slug = `new/${place}/${Math.floor(n / 20)}/e${n} of ${node}` as Slug;
        return store.entries.create(slug, { data, isMergePatch: false, fields: {} }, { actor: "t", nowSeconds: 1 });
      };
      const count = orLong(200, 3000);
      await Promise.all(
        stores.flatMap((store, node) => Array.from({ length: count }, (_, n) => create(store, node, n))),
      );
      assert.equal(await stores[0]?.entries.count(), 2 * count);
      assert.deepEqual(await stores[0]?.verify(), []);
    });
  });
}

async function twoOnSqlite(): Promise<SqlStore[]> {
  const options = sqliteOptions();
  const first = await openSqliteStore(options);
  return [first, await openSqliteStore(options)];
}

async function twoOnPostgres(): Promise<SqlStore[]> {
  const options = await postgresOptions();
  const first = await openPostgresStore(options);
  return [first, await openPostgresStore(options)];
}

async function callAll(stores: readonly SqlStore[]): Promise<Call[]> {
  let clock = 0;
  const client = async (number: number): Promise<Call[]> => {
    const draw = random(number + 1);
    const store = stores[number % stores.length] as SqlStore;
    const made: Call[] = [];
    let tag = 0;
    for (let n = 0; n < calls; n++) {
      const kinds: Kind[] = [
        "read",
        "read",
        "create",
        "create",
        "update",
        "update",
        "tagged",
        "move",
        "copy",
        "delete",
      ];
      const call: Call = {
        actor: `client-${number}-call-${n}`,
        kind: kinds[draw(kinds.length)] as Kind,
        path: paths[draw(paths.length)] as Slug,
        target: paths[draw(paths.length)] as Slug,
        start: ++clock,
        end: 0,
        tag,
        revision: undefined,
        code: undefined,
      };
      try {
        call.revision = await run(store, call);
        tag = call.revision ?? tag;
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        call.code = error.code;
      }
      call.end = ++clock;
      made.push(call);
    }
    return made;
  };
  return (await Promise.all(Array.from({ length: clients }, (_, number) => client(number)))).flat();
}

async function run({ entries }: SqlStore, { actor, kind, path, target, tag }: Call): Promise<number | undefined> {
  const context = { actor, nowSeconds: 1000 };
  const input = { data: JSON.stringify({ by: actor }), isMergePatch: false, fields: {} };
  if (kind === "read") return (await entries.find(path))?.revision;
  if (kind === "create") return (await entries.create(path, input, context)).revision;
  if (kind === "update") return (await entries.update(path, input, context)).revision;
  if (kind === "tagged")
    return (await entries.update(path, input, { ...context, ifMatch: `"${formatRevision(tag)}"` })).revision;
  if (kind === "move") return (await entries.move(path, { newSlug: target }, context)).revision;
  if (kind === "copy") return (await entries.copy(path, { newSlug: target }, context)).revision;
  return void (await entries.delete(path, { to: "trash" }, context));
}

async function eventsOf(store: SqlStore): Promise<Event[]> {
  const events: Event[] = [];
  for (;;) {
    const page = await store.events.list(events.at(-1)?.sequence ?? 0, 1000);
    if (page.length === 0) return events;
    events.push(...page);
  }
}

/** Each write that succeeded has one event, no other has; and no event follows one of a write that began after its end. */
function checkOrder(made: readonly Call[], events: readonly Event[]): void {
  const byActor = new Map(made.map((call) => [call.actor, call]));
  const wrote = made.filter(({ kind, code, path, target }) => {
    return kind !== "read" && code === undefined && !(kind === "move" && path === target);
  });
  assert.deepEqual(events.map(({ actor }) => actor).toSorted(), wrote.map(({ actor }) => actor).toSorted());
  let lastStart = 0;
  for (const [i, { sequence, actor }] of events.entries()) {
    const call = byActor.get(actor) as Call;
    assert.equal(sequence, i + 1);
    if (call.kind !== "delete") assert.equal(call.revision, sequence, `${actor} says the revision of its event`);
    assert.ok(call.end > lastStart, `${actor}: ${sequence} follows a write that began after it had ended`);
    lastStart = Math.max(lastStart, call.start);
  }
}

/** Replays the log; each write must be legal where it stands, each read and each refusal at some moment of its time. */
function checkStates(made: readonly Call[], events: readonly Event[]): void {
  const byActor = new Map(made.map((call) => [call.actor, call]));
  const history = new Map<Path, States>();
  const stateOf = (path: Path) => history.get(path)?.at(-1)?.revision;
  const set = (path: Path, sequence: number, revision: number | undefined) =>
    history.set(path, [...(history.get(path) ?? []), { sequence, revision }]);
  const within = (top: Path) => [...history.keys()].filter((path) => path === top || path.startsWith(`${top}/`));
  for (const { sequence, kind, subject, target, actor } of events) {
    const call = byActor.get(actor) as Call;
    const current = stateOf(subject as Path);
    if (kind === "entry.create") assert.equal(current, undefined, `${actor} creates what exists`);
    else assert.notEqual(current, undefined, `${actor} changes what does not exist`);
    if (call.kind === "tagged") assert.equal(current, call.tag, `${actor} changes another revision`);
    const below = within(subject as Path).filter((path) => stateOf(path) !== undefined);
    if (kind === "entry.create" || kind === "entry.update") set(subject as Path, sequence, sequence);
    if (kind === "entry.delete" || kind === "entry.move") for (const path of below) set(path, sequence, undefined);
    if (kind === "entry.copy" || kind === "entry.move")
      for (const path of below) set(`${target}${path.slice(subject.length)}` as Path, sequence, sequence);
  }
  const times = events.map(({ actor }) => byActor.get(actor) as Call);
  for (const call of made) {
    if (call.kind !== "read" && call.code === undefined) continue;
    // All events before `from` were answered before the call; none after `to` had begun when it ended.
    let from = 0;
    let to = 0;
    for (const [i, { start, end }] of times.entries()) {
      if (end < call.start) from = i + 1;
      if (start < call.end) to = i + 1;
    }
    const states = (path: Path) => seenBetween(history.get(path) ?? [], from, to);
    assert.ok(isPossible(call, states), `${JSON.stringify(call)} between ${from} and ${to}: ${states(call.path)}`);
  }
}

/** The revisions of a path after the event `from` and each later one up to `to`. */
function seenBetween(states: States, from: number, to: number): (number | undefined)[] {
  const before = states.findLast(({ sequence }) => sequence <= from)?.revision;
  return [
    before,
    ...states.filter(({ sequence }) => sequence > from && sequence <= to).map(({ revision }) => revision),
  ];
}

function isPossible({ kind, path, target, tag, revision, code }: Call, states: (path: Path) => (number | undefined)[]) {
  const mayBe = (of: Path, isSo: (revision: number | undefined) => boolean) => states(of).some(isSo);
  const isThere = (found: number | undefined) => found !== undefined;
  if (kind === "read") return mayBe(path, (found) => found === revision);
  if (code === "entry_not_found") return mayBe(path, (found) => found === undefined);
  if (code === "revision_mismatch") return mayBe(path, (found) => found !== undefined && found !== tag);
  if (code === "move_into_itself") return mayBe(path, isThere) && target.startsWith(`${path}/`);
  // The id that is taken may be any below the target.
  return code === "entry_exists" && mayBe(path, isThere);
}
