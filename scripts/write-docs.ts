/**
 * What: writes docs/settings.md out of src/settings.ts.
 * When: `npm run docs`, after a setting was added or changed; test/house/settings-page.test.ts fails until then.
 * Why: the page is the rows, so it cannot say anything else than the code does.
 */
import { writeFileSync } from "node:fs";
import { envOf, flagOf, type SettingRow, type SettingRows } from "../src/lib/setting.ts";
import { settingRows } from "../src/settings.ts";

export const settingsPageUrl = new URL("../docs/settings.md", import.meta.url);

const intro = `# Settings

Each setting can come from four places. The first that has it wins:

1. a flag on the command line: \`--port 9000\`
2. a variable of the environment: \`OCTAVO_PORT=9000\` (an empty variable counts as not set)
3. a JSON file: \`{ "port": 9000 }\`, named by \`--config FILE\` or \`OCTAVO_CONFIG\`, else \`octavo.json\` in the working directory when it is there
4. the default

A wrong value or an unknown name stops the start, and every fault is listed at once. \`octavo settings\` prints all values and where each came from. Sizes are written as \`500000\`, \`64KiB\`, \`1.25MiB\` or \`2GiB\`; times are whole numbers in the unit of the name. In the file a list may be an array. Secrets are shown nowhere and have no flag.

Every variable that begins with \`OCTAVO_\` is taken for a setting, but for \`OCTAVO_CONFIG\` and those that begin with \`OCTAVO_TEST_\`. On Kubernetes a service named \`octavo\` makes variables such as \`OCTAVO_PORT\` in every pod beside it: give it another name, or set \`enableServiceLinks: false\`.

This page is made from the code by \`npm run docs\`.
`;

/** docs/settings.md for a table of settings. */
export function settingsPage(rows: SettingRows): string {
  return [intro, ...Object.entries(rows).map(([name, row]) => section(name, row))].join("\n");
}

function section(name: string, row: SettingRow<unknown>): string {
  const places = [...(row.isSecret ? [] : [flagOf(name)]), envOf(name)].map((place) => `\`${place}\``);
  const normal = row.format(row.default);
  return `## ${name}

${row.help}

* Accepted: ${row.accepted}
* Default: ${normal === "" ? "none" : `\`${normal}\``}${row.atMost ? `, or \`${row.atMost}\` when that is less` : ""}
* From: ${places.join(", ")}${row.isSecret ? " (secret: no flag)" : ""}
`;
}

if (import.meta.main) writeFileSync(settingsPageUrl, settingsPage(settingRows));
