/**
 * `npm run docs`: writes the lines of each feature into the table of folders of docs/ARCHITECTURE.md. A feature is a folder
 * of src/ with all below it; its tests and its `docs.ts`, which are not in the package, do not count.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";

const root = new URL("../", import.meta.url).pathname;
const map = `${root}docs/ARCHITECTURE.md`;

/** The lines of each feature by its folder, `src/entry/`; those of the files at the top as `src/`. */
export function linesByFeature(): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (const file of globSync("src/**/*.ts", { cwd: root })) {
    if (/(?:^|[/-])docs\.ts$|\.test\.ts$/.test(file)) continue;
    const folder = file.split("/").slice(0, -1).slice(0, 2).join("/");
    const count = readFileSync(root + file, "utf8").split("\n").length - 1;
    lines.set(`${folder}/`, (lines.get(`${folder}/`) ?? 0) + count);
  }
  return lines;
}

const row = /^\| `(src\/(?:[\w-]+\/)?)` \|(.*)\| *([\d,]*) \|$/gm;

/** The lines that the map says, by folder. */
export const linesOnMap = (): ReadonlyMap<string, number> =>
  new Map(
    [...readFileSync(map, "utf8").matchAll(row)].map(([, folder = "", , count = ""]) => [
      folder,
      Number(count.replaceAll(",", "")),
    ]),
  );

function write(): void {
  const lines = linesByFeature();
  const text = readFileSync(map, "utf8").replace(row, (_row, folder: string, what: string) => {
    const count = (lines.get(folder) ?? 0).toLocaleString("en");
    return `| \`${folder}\` |${what}| ${count} |`;
  });
  writeFileSync(map, text);
}

if (import.meta.main) write();
