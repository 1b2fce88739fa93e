/** `npm run docs`: writes the pages of docs/ that are generated from the code. */
import { writeFileSync } from "node:fs";
import { envOf, flagOf, type SettingRow, type SettingRows } from "../src/lib/setting.ts";
import { settingRows } from "../src/settings.ts";

const intro = `# Settings

<!-- Made by npm run docs out of src/settings.ts. -->

A setting comes from a flag of \`octavo serve\`, else from the environment, else from a JSON file (\`--config FILE\`, \`OCTAVO_CONFIG\`, or \`octavo.json\` in the folder it is started in), else it has its default. A wrong setting or an unknown name stops the start, and every fault is listed at once. \`octavo settings\` prints what is in force and where it came from.

Sizes are written as \`500000\`, \`64KiB\`, \`1.25MiB\` or \`2GiB\`; times are whole numbers in the unit that the name ends with. Lists are separated by commas; in the file they may be arrays. A variable that is empty counts as not set.

Every variable that begins with \`OCTAVO_\` is taken for a setting, but for \`OCTAVO_CONFIG\` and for \`OCTAVO_TEST_…\`, which the tests use. On Kubernetes a service named \`octavo\` puts variables such as \`OCTAVO_PORT\` into every pod beside it: give it another name, or set \`enableServiceLinks: false\`.
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
- Default: ${standard === "" || row.isSecret ? "none" : `\`${standard}\``}${row.atMost ? `, or \`${row.atMost}\` where that is less` : ""}.${row.isSecret ? " Secret: never shown, not taken as a flag." : ""}
- Written as ${places.join(", ")}, or \`"${name}"\` in the file.
`;
}

if (import.meta.main) writeFileSync(new URL("../docs/settings.md", import.meta.url), settingsPage());
