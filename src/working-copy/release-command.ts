import { randomUUID } from "node:crypto";
import { asUsage, type Command, type CommandCall, CommandError, jsonOption } from "../cli/command.ts";
import { allRows } from "../cli/pages.ts";
import { formatTime, print, printJson, printTable } from "../cli/print.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { actor, nowSeconds, withExistingStores } from "../cli/store.ts";
import { parsePathBelowRoot, type Slug } from "../core/path.ts";
import type { Problem } from "../core/problem.ts";
import type { Stores } from "../stores.ts";
import { newRelease, parseReleaseTitle, type Release, releaseFields } from "./release.ts";
import { stagedFields } from "./staged.ts";
import { cells, head, readAt, timeOptions } from "./staged-command.ts";

const everywhere = { paths: null };
const details = "RELEASE is its id, as `octavo release list` prints it. May run beside a running service.";
const options = { json: jsonOption };
const id = "4f8a61c2-0b7d-4e95-9c38-d216e5a7b043";

export const releaseCommands: Command[] = [
  {
    name: "release list",
    summary: "List the releases, newest first, or what is in one",
    details,
    takes: ["[RELEASE]"],
    options,
    examples: ["octavo release list", `octavo release list ${id}`],
    run: list,
  },
  {
    name: "release create",
    summary: "Create a release",
    takes: ["TITLE"],
    options,
    examples: ["octavo release create 'Spring campaign'"],
    run: create,
  },
  {
    name: "release add",
    summary: "Take the working copy of an entry, or a draft, into a release",
    details,
    takes: ["RELEASE", "ENTRY"],
    options,
    examples: [`octavo release add ${id} movies/alien`],
    run: (call) => move(call, call.positionals[0] as string),
  },
  {
    name: "release remove",
    summary: "Take the working copy of an entry out of its release",
    takes: ["ENTRY"],
    options,
    examples: ["octavo release remove movies/alien"],
    run: (call) => move(call, null),
  },
  {
    name: "release publish",
    summary: "Publish all entries of a release together, now or at a time",
    details: `A time that has passed publishes now. ${details}`,
    takes: ["RELEASE"],
    options: { ...timeOptions, "dry-run": { help: "Check it, and publish nothing." }, json: jsonOption },
    examples: [`octavo release publish ${id}`, `octavo release publish ${id} --at 2040-01-15T09:00:00Z`],
    run: publish,
  },
  {
    name: "release undo",
    summary: "Give the entries of a published release what they had before",
    details,
    takes: ["RELEASE"],
    options,
    examples: [`octavo release undo ${id}`],
    run: (call) =>
      change(
        call,
        ({ releases }, id, context) => releases.undo(id, everywhere, context),
        () => "is open again",
      ),
  },
  {
    name: "release delete",
    summary: "Delete a release; its working copies stay",
    details,
    takes: ["RELEASE"],
    options,
    examples: [`octavo release delete ${id}`],
    run: remove,
  },
];

async function list(call: CommandCall): Promise<void> {
  const [id] = call.positionals;
  if (id !== undefined) return listEntries(call, id);
  const rows = await withExistingStores(callSettings(call), ({ releases }) =>
    Array.fromAsync(
      allRows(
        (before: number | undefined, limit) => releases.list({ ...everywhere, before, limit }),
        ({ sequence }) => sequence,
      ),
    ),
  );
  if (call.switches.has("json")) printJson(call, { releases: rows.map(releaseFields) });
  else if (rows.length > 0) printTable(call, ["RELEASE", "TITLE", "STATE", "ENTRIES", "AT"], rows.map(rowOf));
  else print(call, "There are no releases.");
}

const rowOf = ({ id, title, state, count, atSeconds }: Release): string[] => [
  id,
  title,
  state,
  String(count),
  atSeconds === null ? "" : formatTime(atSeconds),
];

async function listEntries(call: CommandCall, id: string): Promise<void> {
  const rows = await withExistingStores(callSettings(call), ({ releases }) =>
    Array.fromAsync(
      allRows(
        (after: Slug | undefined, limit) => releases.entries(id, { ...everywhere, after, limit }),
        ({ slug }) => slug,
      ),
    ),
  );
  if (call.switches.has("json")) printJson(call, { entries: rows.map(stagedFields) });
  else if (rows.length > 0) printTable(call, head, rows.map(cells));
  else print(call, "There is nothing in it.");
}

async function create(call: CommandCall): Promise<void> {
  const [sent = ""] = call.positionals;
  const title = asUsage(
    () => parseReleaseTitle(sent),
    () => "TITLE",
  );
  const context = { actor, nowSeconds: nowSeconds() };
  const release = await withExistingStores(callSettings(call), ({ releases }) =>
    releases.create(newRelease(title, { ...context, id: randomUUID() }), context),
  );
  if (call.switches.has("json")) printJson(call, releaseFields(release));
  else print(call, release.id);
}

async function move(call: CommandCall, release: string | null): Promise<void> {
  const entry = call.positionals.at(-1) ?? "";
  const slug = asUsage(
    () => parsePathBelowRoot("ENTRY", entry),
    () => "ENTRY",
  );
  const nothing = { data: "{}", isMergePatch: false, fields: {} };
  await withExistingStores(callSettings(call), ({ staged }) =>
    staged.stage(slug, { ...nothing, release }, { actor, nowSeconds: nowSeconds() }),
  );
  if (call.switches.has("json")) printJson(call, { id: slug, release });
  else print(call, release === null ? `${slug} is in no release.` : `${slug} is in the release.`);
}

type Context = { actor: string; nowSeconds: number };
type Work = (stores: Stores, id: string, context: Context) => Promise<Release>;

async function change(call: CommandCall, work: Work, says: (release: Release) => string): Promise<void> {
  const [id = ""] = call.positionals;
  const context = { actor, nowSeconds: nowSeconds() };
  const release = await withExistingStores(callSettings(call), (stores) => work(stores, id, context).catch(named));
  if (call.switches.has("json")) printJson(call, releaseFields(release));
  else print(call, `${release.title} ${says(release)}.`);
}

/** A refusal that concerns entries, with what is wrong with each. */
function named(error: unknown): never {
  const { entries, message } = error as Partial<Problem>;
  if (!entries) throw error;
  throw new CommandError(
    [message, ...entries.map(({ id, detail }) => `  ${id}${detail ? `: ${detail}` : ""}`)].join("\n"),
  );
}

async function publish(call: CommandCall): Promise<void> {
  const at = readAt(call);
  const isDryRun = call.switches.has("dry-run");
  const current = call.switches.has("current");
  await change(
    call,
    ({ releases }, id, context) => {
      const atSeconds = typeof at === "number" && at <= context.nowSeconds ? undefined : at;
      return releases.publish(id, { ...everywhere, atSeconds, current, isDryRun }, context);
    },
    ({ state, atSeconds }) => {
      if (isDryRun) return "can be published";
      if (state === "published") return "is published";
      return atSeconds === null ? "has no time" : `is published at ${formatTime(atSeconds)}`;
    },
  );
}

async function remove(call: CommandCall): Promise<void> {
  const [id = ""] = call.positionals;
  const context = { actor, nowSeconds: nowSeconds() };
  await withExistingStores(callSettings(call), ({ releases }) => releases.delete(id, everywhere, context));
  if (call.switches.has("json")) printJson(call, { id, deleted: true });
  else print(call, "The release is deleted.");
}
