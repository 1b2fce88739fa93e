/** `npm run bench -- entries`: runs a scenario, prints its table, keeps it in bench/results/ with machine and commit. `--only TEXT`
 * runs the lines that hold the text, `--rounds N --seconds N --minutes N --big N --sizes N,N` change the measure, `--save NAME` the file. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import type { Line, Options, Run } from "./scenario.ts";

const scenarios: Record<string, () => Promise<{ run: Run }>> = {
  batch: () => import("./batch.ts"),
  beside: () => import("./beside.ts"),
  caches: () => import("./caches.ts"),
  editor: () => import("./editor.ts"),
  entries: () => import("./entries.ts"),
  files: () => import("./files.ts"),
  floor: () => import("./floor.ts"),
  groups: () => import("./groups.ts"),
  images: () => import("./images.ts"),
  import: () => import("./import.ts"),
  include: () => import("./include.ts"),
  memory: () => import("./memory.ts"),
  judged: () => import("./judged.ts"),
  lists: () => import("./lists.ts"),
  locales: () => import("./locales.ts"),
  peers: () => import("./peers.ts"),
  render: () => import("./render.ts"),
  restore: () => import("./restore.ts"),
  scale: () => import("./scale.ts"),
  search: () => import("./search.ts"),
  streams: () => import("./streams.ts"),
  undo: () => import("./undo.ts"),
  versions: () => import("./versions.ts"),
  walks: () => import("./walks.ts"),
  wide: () => import("./wide.ts"),
};

const [name = "", ...flags] = process.argv.slice(2);
const scenario = scenarios[name];
if (!scenario) {
  console.error(`"${name}" is not a scenario; expected one of ${Object.keys(scenarios).join(", ")}`);
  process.exit(2);
}
const text = (key: string, standard: string): string => {
  const at = flags.indexOf(`--${key}`);
  return at < 0 ? standard : (flags[at + 1] ?? standard);
};
const options: Options = {
  only: text("only", ""),
  rounds: Number(text("rounds", "3")),
  minutes: Number(text("minutes", "10")),
  seconds: Number(text("seconds", "4")),
  sizes: flags.includes("--sizes") ? text("sizes", "").split(",").map(Number) : undefined,
  big: flags.includes("--big") ? Number(text("big", "")) : undefined,
};
const remarks: string[] = [];
const lines = await (await scenario()).run(options, (text) => remarks.push(text));
const table = typeof lines === "string" ? lines : format(lines);
console.log(table);
const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node ${process.version}`;
mkdirSync(new URL("results/", import.meta.url), { recursive: true });
const about = remarks.map((text) => `${text}\n\n`).join("");
const head = `# ${name}\n\n* machine: ${machine}\n* commit: ${commit}\n* command: npm run bench -- ${process.argv.slice(2).join(" ")}\n`;
writeFileSync(new URL(`results/${text("save", name)}.md`, import.meta.url), `${head}\n${about}${table}\n`);

function format(rows: Line[]): string {
  const head =
    "| work | per second | p99 ms | CPU µs | ratio | CPU ratio | goal | note |\n|---|---|---|---|---|---|---|---|";
  const cells = rows.map(
    ({ work, perSecond, p99Ms, cpuMicros, ratio, cpuRatio, goal, note }) =>
      `| ${work} | ${Math.round(perSecond).toLocaleString("en")} | ${p99Ms.toFixed(1)} | ${shown(cpuMicros, 1)} | ${shown(ratio, 2)} | ${shown(cpuRatio, 2)} | ${goal} | ${note} |`,
  );
  return [head, ...cells].join("\n");
}

function shown(figure: number, digits: number): string {
  return Number.isNaN(figure) ? "" : figure.toFixed(digits);
}
