import { asUsage, type Command, type CommandCall, jsonOption } from "../cli/command.ts";
import { allRows } from "../cli/pages.ts";
import { formatTime, print, printJson, printTable } from "../cli/print.ts";
import { commandOf, commandsOnOne, type Sent } from "../cli/row.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { actor, nowSeconds, withExistingStores } from "../cli/store.ts";
import { parsePathBelowRoot, type Slug } from "../core/path.ts";
import { parseReleaseTitle, type Release, releaseFields } from "./release.ts";
import { stagedFields } from "./staged.ts";
import { cells, head, readAt, timeOptions } from "./staged-command.ts";

const everywhere = { paths: null };
const details = "RELEASE is its id, as `octavo release list` prints it. May run beside a running service.";
const options = { json: jsonOption };
const id = "4f8a61c2-0b7d-4e95-9c38-d216e5a7b043";

const onRelease = commandsOnOne({ noun: "release", word: "RELEASE", example: id, details });

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
  commandOf<Fields>({
    name: "release create",
    summary: "Create a release",
    takes: ["TITLE"],
    examples: ["octavo release create 'Spring campaign'"],
    route: "POST /api/releases",
    send: ({ positionals: [title = ""] }) => ({ title: readTitle(title) }),
    show: (json) => ({ json, text: json.id }),
  }),
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
  onRelease<Fields>("publish", {
    summary: "Publish all entries of a release together, now or at a time",
    details: `A time that has passed publishes now. ${details}`,
    options: { ...timeOptions, "dry-run": { help: "Check it, and publish nothing." } },
    examples: [`octavo release publish ${id}`, `octavo release publish ${id} --at 2040-01-15T09:00:00Z`],
    route: "POST /api/releases/publish",
    send: (call) => ({
      at: readAt(call),
      current: call.switches.has("current"),
      dry_run: call.switches.has("dry-run"),
    }),
    show: (json, sent) => ({ json, text: `${json.title} ${published(json, sent)}.` }),
  }),
  onRelease<Fields>("undo", {
    summary: "Give the entries of a published release what they had before",
    route: "POST /api/releases/undo",
    show: (json) => ({ json, text: `${json.title} is open again.` }),
  }),
  onRelease("delete", {
    summary: "Delete a release; its working copies stay",
    route: "DELETE /api/releases",
    show: (_, { id }) => ({ json: { id, deleted: true }, text: "The release is deleted." }),
  }),
];

/** As the routes answer it. */
type Fields = ReturnType<typeof releaseFields>;

const readTitle = (sent: string): string =>
  asUsage(
    () => parseReleaseTitle(sent),
    () => "TITLE",
  );

function published({ state, at }: Fields, { dry_run: isDryRun }: Sent): string {
  if (isDryRun) return "can be published";
  if (state === "published") return "is published";
  return at === undefined ? "has no time" : `is published at ${formatTime(at)}`;
}

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
