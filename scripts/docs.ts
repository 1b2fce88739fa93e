/** `npm run docs`: writes what is generated from the lists of the code: docs/settings.md, the kinds of events of the admin page. */
import { writeFileSync } from "node:fs";
import { eventKinds } from "../src/core/event.ts";
import { envOf, flagOf, type SettingRow, type SettingRows } from "../src/core/lib/setting.ts";
import { retiredSettings, settingRows } from "../src/settings.ts";

const retired = Object.entries(retiredSettings).map(([name, reason]) => `\`${name}\` (${reason})`);

const intro = `# Settings

<!-- Made by npm run docs out of src/settings.ts. -->

The value of a setting is taken from the first of these sources: a flag of \`octavo serve\`, the environment, a JSON file (\`--config FILE\`, \`OCTAVO_CONFIG\`, or \`octavo.json\` in the working directory), its default. An invalid setting or an unknown name prevents the start, and all faults are listed at once. \`octavo settings\` prints the effective values and their sources.

Sizes are written as \`500000\`, \`64KiB\`, \`1.25MiB\` or \`2GiB\`; times are whole numbers in the unit at the end of the name. Lists are separated by commas; in the file they may be arrays. A variable that is empty counts as not set.

Every variable that begins with \`OCTAVO_\` is read as a setting, except \`OCTAVO_CONFIG\` and \`OCTAVO_TEST_…\`, which the tests use, and names that end in \`_TOKEN\`, \`_SECRET\`, \`_KEY\` or \`_URL\` and are no typo of a setting (at most two letters): those are of other programs, such as a site beside the service, and the start names them. On Kubernetes a service named \`octavo\` puts variables such as \`OCTAVO_PORT\` into every pod beside it: give it another name, or set \`enableServiceLinks: false\`.

Names of earlier versions that are still accepted, and have no effect any more: ${retired.join(", ")}.
`;

/** docs/settings.md for a table of settings. */
export function settingsPage(rows: SettingRows = settingRows): string {
  return [intro, ...Object.entries(rows).map(([name, row]) => section(name, row))].join("\n");
}

function section(name: string, row: SettingRow<unknown>): string {
  const standard = row.format(row.default);
  const places = [...(row.isSecret ? [] : [flagOf(name)]), envOf(name)].map((place) => `\`${place}\``);
  return `## ${name}

${row.help}

- Type: ${row.type}${row.unit && row.unit !== row.type ? `, in ${row.unit}` : ""}; accepted: ${row.accepted}.
- Default: ${standard === "" || row.isSecret ? "none" : `\`${standard}\``}${row.atMost ? `, or \`${row.atMost}\` if that is less` : ""}.${row.isSecret ? " Secret: never shown, not accepted as a flag." : ""}
- Written as ${places.join(", ")}, or \`"${name}"\` in the file.
`;
}

/** admin/src/model/event-verbs.ts, for the nouns of all features. */
function verbsModule(): string {
  const nouns = Map.groupBy(
    eventKinds().map((kind) => kind.split(".")),
    ([noun]) => noun,
  );
  const rows = [...nouns].map(([noun, kinds]) => `  ${noun}: "${kinds.map(([, verb]) => verb).join(" ")}",\n`);
  return `/** The verbs of events by noun. Made by npm run docs out of the features' events. */\nexport const eventVerbs: Readonly<Record<string, string>> = {\n${rows.join("")}};\n`;
}

const write = (file: string, text: string): void => writeFileSync(new URL(`../${file}`, import.meta.url), text);

if (import.meta.main) {
  write("docs/settings.md", settingsPage());
  write("admin/src/model/event-verbs.ts", verbsModule());
}
