import { statSync } from "node:fs";
import { serviceOf, storeAsk } from "../cli/ask.ts";
import { asUsage, type Command, type CommandCall, CommandError, jsonOption, UsageError } from "../cli/command.ts";
import { plain, print, printJson } from "../cli/print.ts";
import { Progress } from "../cli/progress.ts";
import { urlOption } from "../cli/remote.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { actor, nowSeconds, withExistingStores } from "../cli/store.ts";
import { type Path, parsePath } from "../core/path.ts";
import { type ImportPolicy, importPolicies } from "../entry/entry.ts";
import { readSettings, type Settings } from "../settings.ts";
import { localesOf } from "../translation/locale.ts";
import type { About, ImportOptions, ImportReport } from "./import-report.ts";
import type { ImportTarget } from "./import-target.ts";

export const importCommand: Command = {
  name: "import",
  summary: "Import a project of Flextype, an export or a folder of Markdown files",
  details:
    "DIR is a site of Flextype 0.9 with its folder project, that folder itself, what octavo export wrote, or any folder of\n" +
    "Markdown files with front matter in YAML, TOML or JSON, such as the content of Hugo, Jekyll or Zola. Entries, files and\n" +
    "tokens keep their ids, times and secrets; drafts stay drafts. What is changed or not taken is reported; symbolic links\n" +
    "and special files are never followed. Things that are the same already stay unchanged, so an interrupted import is\n" +
    "continued by the same command. The exit code is 1 when something was refused, when there are conflicts, or when\n" +
    "nothing was taken. May run beside a running service.\n\n" +
    "With the setting locales name.de.md is the translation of name.md into de; without one the entry is public in de alone.\n\n" +
    "With --url it is brought into a service. What the API sets itself is new, and reported: uuid, created_at, modified_at,\n" +
    "times of upload, texts of tokens. It needs a management token with the resources of what there is (entries, files,\n" +
    "folders, admin for tokens) and an access token, for a dry run, too, which does not check the bytes of files.",
  takes: ["DIR"],
  options: {
    "dry-run": { help: "Report what would happen and write nothing." },
    into: { value: "PREFIX", help: "Import entries and files below this path." },
    files: {
      value: "PREFIX",
      help: "Take pictures of a folder of Markdown, and files that its texts link to, along below this path.",
    },
    "locale-folders": {
      help: "The folders at the top of a folder of Markdown are locales (de, en), the texts in them translations of each other.",
    },
    "on-conflict": {
      value: "WHAT",
      help: "For entries and files that are there and differ: fail (default: write nothing at all), skip, or replace.",
    },
    url: urlOption,
    json: jsonOption,
  },
  examples: [
    "octavo import /srv/old-site --dry-run",
    "octavo import /srv/old-site --data /srv/octavo",
    "octavo import site --on-conflict replace --json",
    "octavo import notes --into blog --files blog",
    "octavo import content --locale-folders",
    "octavo import site --on-conflict replace --url https://staging.example.org",
  ],
  run: importCall,
};

async function importCall(call: CommandCall): Promise<void> {
  const [dir = ""] = call.positionals;
  const { url } = call.options;
  const settings = url === undefined ? callSettings(call) : flagSettings(call);
  const progress = new Progress(call.io.stderr);
  const options = await readOptions(call, settings, progress);
  if (!isFolder(dir)) throw new CommandError(`there is no folder ${dir}`);
  const work = url === undefined ? intoStore(settings, dir, options) : intoService(call, url, dir, options);
  const report = await work.finally(() => progress.clear());
  if (call.switches.has("json"))
    printJson(call, { ok: isOk(report) && !isEmpty(report), dry_run: options.isDryRun, ...jsonOf(report) });
  else print(call, formatReport(report, options.isDryRun));
  if (report.conflicts.length > 0 && options.onConflict === "fail") {
    throw new CommandError(
      `${report.conflicts.length} conflicts: nothing was written; --on-conflict skip or replace decides what happens`,
    );
  }
  if (!isOk(report)) throw new CommandError(`${report.refused.length + report.conflicts.length} were not taken`);
  if (isEmpty(report)) throw new CommandError(`nothing of ${dir} was taken; looked for ${lookedFor}`);
}

const lookedFor =
  "a project of Flextype (entries with entry.md, uploads, media, tokens, in a folder project or at the top) and Markdown files (.md, .mdx, .markdown)";

function isFolder(dir: string): boolean {
  try {
    return statSync(dir).isDirectory();
  } catch {
    return false;
  }
}

async function readOptions(call: CommandCall, settings: Settings, progress: Progress): Promise<ImportOptions> {
  const { into = "", "on-conflict": onConflict = "fail" } = call.options;
  const policy = importPolicies.find((known): known is ImportPolicy => known === onConflict);
  if (!policy) throw new UsageError(`--on-conflict was "${onConflict}"; expected one of ${importPolicies.join(", ")}`);
  const { markdownLinks, uploadRulesOf } = await import("../stores.ts");
  const { localesAt } = await import("./translation-target-command.ts");
  const { files, url } = call.options;
  const below = files === undefined ? undefined : pathOf("files", files);
  return {
    into: pathOf("into", into),
    locales: url === undefined ? localesOf(settings) : await localesAt(serviceOf(call, url).ask),
    localeFolders: call.switches.has("locale-folders"),
    ...(below !== undefined && { files: { below, findLinks: (await markdownLinks()).linksOf } }),
    onConflict: policy,
    isDryRun: call.switches.has("dry-run"),
    rules: uploadRulesOf(settings),
    maxKeys: settings.entryMaxKeys,
    maxPendingWrites: url === undefined ? settings.writeQueueMax : 2 * requestsAtOnce,
    context: { actor, nowSeconds: nowSeconds() },
    onProgress: (done) => progress.count("things", done),
  };
}

const pathOf = (flag: string, text: string): Path =>
  asUsage(
    () => parsePath(flag, text),
    () => `--${flag}`,
  );

/** So many requests of one command a service answers at a time; more would stand in front of others. */
const requestsAtOnce = 8;

/** The settings of this invocation's flags alone: those of a service on this machine are not those of `--url`. */
function flagSettings({ settingFlags: { config: _, ...flags } }: CommandCall): Settings {
  return readSettings({ flags, env: {}, file: undefined });
}

async function intoStore(settings: Settings, dir: string, options: ImportOptions): Promise<ImportReport> {
  const { StoreTarget } = await import("./store-target.ts");
  const { TranslationTarget } = await import("./translation-target-command.ts");
  const { rules, context } = options;
  const reports: ImportReport[] = [];
  await withExistingStores(settings, async (stores) => {
    const own = new TranslationTarget(await storeAsk(stores, settings));
    const translations = own.put.bind(own);
    const target = new StoreTarget(stores, { rules, context, translations, maxFileBytes: settings.uploadMaxBytes });
    // Two at once could give one uuid to two entries.
    const isFirst = await stores.alone("import", async () => {
      reports.push(await importDir(target, dir, options));
    });
    if (!isFirst) throw new CommandError("another import into this store is running");
  });
  return reports[0] as ImportReport;
}

async function intoService(call: CommandCall, url: string, dir: string, options: ImportOptions): Promise<ImportReport> {
  const { ServiceTarget } = await import("./service-target-command.ts");
  return importDir(new ServiceTarget(serviceOf(call, url), options.locales), dir, options);
}

async function importDir(target: ImportTarget, dir: string, options: ImportOptions): Promise<ImportReport> {
  const { diskProjects } = await import("../stores.ts");
  const { diskProject } = await diskProjects();
  // Loaded here, with the parser of YAML, to keep the start of every other command fast.
  const [{ importProject }, { NotImported }] = await Promise.all([import("./import.ts"), import("./import-entry.ts")]);
  try {
    return await importProject(target, diskProject(dir), options);
  } catch (error) {
    throw error instanceof NotImported ? new CommandError(`${dir} was not imported: ${error.message}`) : error;
  }
}

const isOk = ({ refused, conflicts }: ImportReport): boolean => refused.length + conflicts.length === 0;

/** A store keeps the texts of tokens: there are no new ones. */
const jsonOf = ({ left, secrets, ...report }: ImportReport): object => ({
  ...report,
  not_taken: left,
  ...(secrets.length > 0 && { new_tokens: secrets }),
});

/** True when files were there and nothing of them was taken, now or before. An export may be empty. */
const isEmpty = ({ layout, left, ...report }: ImportReport): boolean =>
  layout !== "export" &&
  left.length > 0 &&
  nouns.every((noun) => Object.values(report[noun] ?? {}).every((count) => count === 0));

const nouns = ["entries", "translations", "files", "folders", "tokens"] as const;

function formatReport(report: ImportReport, isDryRun: boolean): string {
  const lines = nouns.flatMap((noun) => {
    const all = report[noun];
    if (!all) return [];
    const counts = Object.entries(all).filter(([, count]) => count > 0);
    return `${noun}: ${counts.map(([outcome, count]) => `${count} ${outcome}`).join(", ") || "none"}`;
  });
  return [
    ...(isDryRun ? ["A dry run: nothing is written."] : []),
    ...lines,
    ...section(
      "Conflicts",
      report.conflicts.map((from) => ({ from, why: "it is there and differs" })),
    ),
    ...section("Refused", report.refused),
    ...section("Not taken", report.left),
    ...section("Imported, but", report.notes),
    ...newTokens(report),
  ].join("\n");
}

/** All of them: they are shown this once. */
const newTokens = ({ secrets }: ImportReport): string[] =>
  secrets.length === 0
    ? []
    : ["New tokens, shown this once:", ...secrets.map(({ from, token }) => `  ${from}: ${token}`)];

/** This many names of one kind are printed; --json has all. */
const shown = 10;

/** What a reason says of one thing alone: names in brackets or quotes. */
const ownPart = /: [["].*/s;

/** The names under each reason. */
function section(title: string, all: readonly About[]): string[] {
  if (all.length === 0) return [];
  const lines = [`${title}:`];
  for (const [why, group] of Map.groupBy(all, (one) => one.why.replace(ownPart, ""))) {
    lines.push(plain(`  ${why} (${group.length})`));
    for (const one of group.slice(0, shown)) lines.push(plain(`    ${one.from}${one.why.slice(why.length)}`));
    if (group.length > shown) lines.push(`    and ${group.length - shown} more; --json lists all`);
  }
  return lines;
}
