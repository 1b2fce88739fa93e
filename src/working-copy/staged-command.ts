import { asUsage, type Command, type CommandCall, jsonOption, UsageError } from "../cli/command.ts";
import { allRows } from "../cli/pages.ts";
import { formatTime, print, printJson, printTable } from "../cli/print.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { actor, nowSeconds, withExistingStores } from "../cli/store.ts";
import { parseTime } from "../core/lib/time.ts";
import { parsePathBelowRoot, type Slug } from "../core/path.ts";
import type { Stores } from "../stores.ts";
import { type StagedRow, stagedFields } from "./staged.ts";

/** When something is published, and whether it may put back what was corrected live. */
export const timeOptions = {
  at: { value: "TIME", help: "When: Unix seconds or an ISO 8601 date; the service publishes it then." },
  current: { help: "Refuse it if keys were changed live since they were staged." },
  unschedule: { help: "Take the time back instead." },
};

/** The heads of a table of copies. */
export const head = ["ENTRY", "STAGED", "BY", "PUBLISHED AT", "OUTDATED"];

export const stagedCommands: Command[] = [
  {
    name: "staged list",
    summary: "List the entries that have a working copy",
    takes: [],
    options: { json: jsonOption },
    examples: ["octavo staged list", "octavo staged list --json"],
    run: list,
  },
  {
    name: "staged publish",
    summary: "Publish the working copy of an entry, or a draft, now or at a time",
    details: "A time that has passed publishes now. May run beside a running service.",
    takes: ["ENTRY"],
    options: { ...timeOptions, json: jsonOption },
    examples: ["octavo staged publish movies/alien", "octavo staged publish movies/alien --at 2040-01-15T09:00:00Z"],
    run: publish,
  },
  {
    name: "staged discard",
    summary: "Drop the working copy of an entry",
    takes: ["ENTRY"],
    options: { json: jsonOption },
    examples: ["octavo staged discard movies/alien"],
    run: discard,
  },
];

async function list(call: CommandCall): Promise<void> {
  const rows = await withExistingStores(callSettings(call), (stores) => Array.fromAsync(rowsOf(stores)));
  if (call.switches.has("json")) printJson(call, { staged: rows.map(stagedFields) });
  else if (rows.length > 0) printTable(call, head, rows.map(cells));
  else print(call, "There are no working copies.");
}

async function publish(call: CommandCall): Promise<void> {
  const id = readEntry(call);
  const at = readAt(call);
  const context = { actor, nowSeconds: nowSeconds() };
  const current = call.switches.has("current");
  const isNow = at === undefined || (at !== null && at <= context.nowSeconds);
  await withExistingStores(callSettings(call), async ({ staged }) => {
    if (isNow) await staged.publish(id, { current }, context);
    else await staged.schedule(id, { atSeconds: at, current }, context);
  });
  if (call.switches.has("json")) printJson(call, { id, published: isNow, publish_at: isNow ? null : at });
  else if (isNow) print(call, `${id} is published.`);
  else print(call, at === null ? `${id} has no time any more.` : `${id} is published at ${formatTime(at)}.`);
}

async function discard(call: CommandCall): Promise<void> {
  const id = readEntry(call);
  const context = { actor, nowSeconds: nowSeconds() };
  await withExistingStores(callSettings(call), ({ staged }) => staged.discard(id, {}, context));
  if (call.switches.has("json")) printJson(call, { id, discarded: true });
  else print(call, `${id} has no working copy any more.`);
}

// ---------------------------------------------------------------------------------------------- arguments, rows

const readEntry = ({ positionals: [id = ""] }: CommandCall): Slug =>
  asUsage(
    () => parsePathBelowRoot("ENTRY", id),
    () => "ENTRY",
  );

/** Undefined for now, null for no time any more. */
export function readAt({ options: { at }, switches }: CommandCall): number | null | undefined {
  if (switches.has("unschedule")) {
    if (at !== undefined) throw new UsageError("--at and --unschedule cannot be combined");
    return null;
  }
  const seconds = at === undefined ? undefined : parseTime(at);
  if (at !== undefined && seconds === undefined)
    throw new UsageError(`--at was "${at}"; expected Unix seconds or a date`);
  return seconds;
}

const rowsOf = ({ staged }: Stores): AsyncGenerator<StagedRow, void> =>
  allRows(
    (after: Slug | undefined, limit) => staged.list({ paths: null, after, limit }),
    ({ slug }) => slug,
  );

export const cells = ({ slug, copy, outdated }: StagedRow): string[] => [
  slug,
  formatTime(copy.stagedAtSeconds),
  copy.stagedBy,
  copy.publishAtSeconds === null ? "" : formatTime(copy.publishAtSeconds),
  outdated.join(", "),
];
