import { createReadStream, createWriteStream, renameSync, rmSync, statSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { readAnswer, withAsk } from "../cli/ask.ts";
import { type Command, type CommandCall, CommandError, jsonOption, UsageError } from "../cli/command.ts";
import type { FormFile } from "../cli/form.ts";
import { urlOption } from "../cli/remote.ts";
import { printShown, type Shown } from "../cli/row.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { withExistingStores } from "../cli/store.ts";
import type { Bytes } from "../core/bytes/blob.ts";
import { canonicalLocale } from "./locale.ts";
import type { XliffOutcome } from "./progress.ts";

/** Commands of translations. */

const url = "/api/translations/xliff";
const dash = "FILE may be -, for standard output.";

export const translationCommands: Command[] = [
  {
    name: "translations export",
    summary: "Write the texts of entries as XLIFF, for translators",
    details: `Writes what is below --id into a file, with the translations that there are and their working copies. ${dash}\nMay run beside a running service.`,
    takes: ["LOCALE", "FILE"],
    options: {
      id: { value: "ENTRY", help: "The entry at the top; all entries without it." },
      depth: { value: "LEVELS", help: "How many levels below it, without itself." },
      state: { value: "STATE", help: "Only texts that are missing, outdated or done." },
      xliff: { value: "VERSION", help: "2.1 (the default) or 1.2." },
      url: urlOption,
    },
    examples: [
      "octavo translations export de de.xliff",
      "octavo translations export de de.xliff --id blog --state missing --xliff 1.2",
    ],
    run: exportXliff,
  },
  {
    name: "translations import",
    summary: "Stage the translations of an XLIFF file",
    details:
      "Targets become working copies, which are published as others. Texts whose source has changed since the export are\n" +
      "named and left. FILE may be -, for standard input. May run beside a running service.",
    takes: ["FILE"],
    options: { url: urlOption, json: jsonOption },
    examples: ["octavo translations import de.xliff", "octavo translations import - --url https://cms.example.org"],
    run: importXliff,
  },
  {
    name: "translations source",
    summary: "Say which language the entries themselves are in",
    details:
      "A store does not start with another first locale than the one that its translations were made against. This says\n" +
      "that LOCALE is right: nothing else changes, and no key becomes outdated. Put LOCALE first in the setting locales, too.",
    takes: ["LOCALE"],
    options: { json: jsonOption },
    examples: ["octavo translations source en-GB"],
    run: setSource,
  },
];

async function setSource(call: CommandCall): Promise<void> {
  const [sent = ""] = call.positionals;
  const locale = canonicalLocale(sent);
  if (locale === undefined) throw new UsageError(`LOCALE was "${sent}"; expected a language tag, as en or de-AT`);
  await withExistingStores(callSettings(call), (stores) => stores.translations.setSource(locale));
  printShown(call, { json: { ok: true, source: locale }, text: `The source is ${locale}.` });
}

async function exportXliff(call: CommandCall): Promise<void> {
  const [locale = "", file = ""] = call.positionals;
  const { id = "", depth, state, xliff } = call.options;
  const sent = Object.entries({ id, locale, depth, state, version: xliff }).filter(([, value]) => value !== undefined);
  await withAsk(call, async (ask) => {
    const { body } = await ask({ method: "GET", url: `${url}?${new URLSearchParams(sent as [string, string][])}` });
    if (file === "-") for await (const piece of piecesIn(body)) call.io.stdout.write(piece);
    else await writeFile(file, body);
  });
}

const piecesIn = (body: Bytes): Iterable<Uint8Array> | AsyncIterable<Uint8Array> =>
  body instanceof Uint8Array ? [body] : body;

/** Whole or not at all. */
async function writeFile(name: string, body: Bytes): Promise<void> {
  const part = `${name}.${process.pid}.part`;
  try {
    await pipeline(piecesIn(body), createWriteStream(part));
    renameSync(part, name);
  } catch (error) {
    rmSync(part, { force: true });
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw new CommandError(`${name} cannot be written: ${(error as Error).message}`);
  }
}

async function importXliff(call: CommandCall): Promise<void> {
  const file = await fileOf(call);
  const outcome = await withAsk(call, async (ask) => readAnswer(await ask({ method: "POST", url, file })));
  printShown(call, shown(outcome as XliffOutcome));
}

async function fileOf({ io, positionals: [name = ""] }: CommandCall): Promise<FormFile> {
  if (name === "-") {
    const bytes = await buffer(io.stdin);
    return {
      name: "standard-input.xliff",
      size: bytes.length,
      open: async function* () {
        yield bytes;
      },
    };
  }
  try {
    return { name, size: statSync(name).size, open: () => createReadStream(name) };
  } catch (error) {
    throw new UsageError(`FILE was "${name}", which cannot be read: ${(error as Error).message}`);
  }
}

function shown(outcome: XliffOutcome): Shown {
  const { applied, unchanged, outdated, partial, unknown, refused } = outcome;
  const lines = [
    `${applied} texts are staged, ${unchanged} were there already.`,
    ...outdated.map(({ id, pointer }) => `${id} ${pointer}: its source has changed since the export`),
    ...partial.map(({ id, pointer }) => `${id} ${pointer}: some of its segments have no target`),
    ...unknown.map((name) => `${name}: there is no such text`),
    ...refused.map(({ id, detail }) => `${id}: ${detail}`),
  ];
  return { json: outcome, text: lines.join("\n") };
}
