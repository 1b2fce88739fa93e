/** `npm run docs`: writes the pages of docs/ that are made of the code, so that they cannot drift. */
import { writeFileSync } from "node:fs";
import { envOf, flagOf } from "../src/lib/setting.ts";
import { settingRows } from "../src/settings.ts";

/** docs/settings.md. */
export function settingsPage(): string {
  const sections = Object.entries(settingRows).map(([name, row]) => {
    const standard = row.format(row.default as never);
    return [
      `## ${name}`,
      "",
      row.help,
      "",
      `- Type: ${row.type}${row.unit ? `, in ${row.unit}` : ""}; accepted: ${row.accepted}.`,
      `- Default: ${standard === "" ? "none" : `\`${standard}\``}.${row.isSecret ? " Secret: never shown, not taken as a flag." : ""}`,
      `- Written as \`${flagOf(name)}\`, \`${envOf(name)}\`, or \`"${name}"\` in the file.`,
      "",
    ].join("\n");
  });
  return `# Settings

<!-- Made by npm run docs out of src/settings.ts. -->

A setting comes from a flag of \`octavo serve\`, else from the environment, else from a JSON file (\`--config FILE\`, \`OCTAVO_CONFIG\`, or \`octavo.json\` in the folder it is started in), else it has its default. A wrong setting stops the start, and every fault is listed at once. \`octavo settings\` prints what is in force and where it came from.

${sections.join("\n")}`;
}

if (import.meta.main) writeFileSync(new URL("../docs/settings.md", import.meta.url), settingsPage());
