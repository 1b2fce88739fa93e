/**
 * Part of `npm run docs`: writes what the results have into bench/results/README.md (Octavo beside its peers, lists beside
 * their floor, what requests, lists, entries and restores cost, with their goals), README.md (three figures) and
 * docs/charts/lists.svg. When a bench has run again, run this again. test/house/results.test.ts compares.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { chart, type Panel, type Point } from "../bench/chart.ts";

const root = new URL("../", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), "utf8");

/** Replaces the text between the two markers of a name. */
const fill = (text: string, name: string, content: string): string =>
  text.replace(
    new RegExp(`(<!-- ${name}: .*? -->\n)[\\s\\S]*?(\n<!-- end of ${name} -->)`),
    (_, head: string, foot: string) => `${head}\n${content}\n${foot}`,
  );

/** The rows of the tables of a result, as cells. */
const rowsOf = (file: string): string[][] =>
  read(`bench/results/${file}.md`)
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .map((cells) => cells.slice(1, -1));

/** A row of a result, and the row before it. */
function rowOf(file: string, name: string): { cells: string[]; before: string[] } {
  const rows = rowsOf(file);
  const at = rows.findIndex(([first]) => first === name);
  if (at < 0) throw new Error(`bench/results/${file}.md has no row "${name}"`);
  return { cells: rows[at] as string[], before: rows[at - 1] ?? [] };
}

/** A rate, processor time and the note of a row. */
function figuresOf(file: string, row: string): [string, string, string] {
  const [, perSecond = "", , cpu = "", , , , note = ""] = rowOf(file, row).cells;
  return [perSecond, cpu, note];
}

/** The goal of a row, and whether its figures reach it; empty for a row without a goal. */
function goalOf(file: string, row: string): string {
  const { cells, before } = rowOf(file, row);
  const [, perSecond = "", , , ratio = "", , goal = ""] = cells;
  const rate = toNumber(perSecond);
  const [, least, of] = /^≥ ([\d.,]+)(.*)$/.exec(goal) ?? [];
  const [, within] = /^within ([\d.]+) of the line above$/.exec(goal) ?? [];
  if (goal === "") return "";
  if (within) {
    const times = toNumber(before[1] ?? "") / rate;
    return `within ${within} of ${before[0]}: ${reached(times <= Number(within), times.toFixed(2))}`;
  }
  if (!least) throw new Error(`bench/results/${file}.md: the goal "${goal}" is not understood`);
  if (of === "/s") return `${goal}: ${reached(rate >= toNumber(least), perSecond)}`;
  return `${goal}: ${reached(Number(ratio) >= Number(least), ratio)}`;
}

const reached = (isMet: boolean, figure: string): string => `${isMet ? "met" : "**missed**"}, ${figure}`;
const toNumber = (text: string): number => Number(text.replaceAll(",", ""));

// ---------------------------------------------------------------------------------------------- bench/results/README.md

/** The label of a row on the page, its result file, and its name there. */
const rows: [string, string, string][] = [
  ["one entry, SQLite, one process", "entries", "GET one entry, 10,000 random keys, 64 connections"],
  ["three conditions, SQLite, one process", "entries", "GET 3 conditions, 100000 entries"],
  ["create, SQLite, one process", "entries", "POST create, 16 connections"],
  ...setups("one entry", "GET one entry, random keys, 64 connections"),
  ...setups("three conditions", "GET 3 conditions, 16 connections"),
  ...setups("create", "POST create, 16 connections"),
  ...setups("mixed", "90 reads of one, 6 of 3 conditions, 2 creates, 2 updates, 32 connections"),
  ["file of 100 KB, from memory", "files", "GET 100 KB, one file, 64 connections"],
  ["file of 100 KB, from the disk", "files", "GET 100 KB, 1,000 files at random, 64 connections"],
  ["upload of 100 KB", "files", "POST 100 KB, 16 connections"],
  ["kept image of 20 KB", "images", "GET 20 KB kept, 64 connections"],
  ["image drawn out of 2 megapixels", "images", "GET 2 MP JPEG, distinct widths, 4 connections"],
  ["image drawn out of 24 megapixels", "images", "GET 24 MP JPEG, distinct widths, 4 connections"],
];

function setups(name: string, work: string): [string, string, string][] {
  const all = ["SQLite", "SQLite, 2 workers", "PostgreSQL, 1 node", "PostgreSQL, 2 nodes", "PostgreSQL, 3 nodes"];
  return all.map((setup) => [`${name}, ${setup}`, "scale", `${work}: ${setup}`]);
}

/** The page with the current tables. Throws if a result lacks a row. */
export function resultsPage(): string {
  const filled: [string, string][] = [
    ["peers", besidePeers()],
    ["costs", costs()],
    ["lists", listsTable()],
    ["floor", floorTable()],
    ["sizes", sizes()],
    ["restore", restoreTable()],
  ];
  return filled.reduce((text, [name, content]) => fill(text, name, content), read("bench/results/README.md"));
}

function costs(): string {
  const lines = rows.map(([name, file, row]) => {
    const [perSecond, cpu, note] = figuresOf(file, row);
    const server = /PostgreSQL µs ([\d.]+)/.exec(note)?.[1];
    return `| ${name} | ${perSecond} | ${whole(cpu)} | ${server ? whole(server) : ""} | ${goalOf(file, row)} | ${link(file)} |`;
  });
  const head =
    "| Request | a second, there | nodes, µs | PostgreSQL, µs | Goal | Result |\n| --- | --- | --- | --- | --- | --- |";
  return [head, ...lines].join("\n");
}

function sizes(): string {
  const found = [...read("bench/results/lists.md").matchAll(/^(?:SQLite with|PostgreSQL with|Memory of) .*\.$/gm)];
  if (found.length === 0) throw new Error("bench/results/lists.md has no sizes");
  return `${found.map(([sentence]) => `* ${sentence}`).join("\n")}\n\nOut of ${link("lists")}: entries of about 500 bytes, loaded as by a restore.`;
}

/** What a restore, a verification and a copy of a folder took. */
function restoreTable(): string {
  const [, , ...rows] = rowsOf("restore");
  const lines = rows.map(([work, entries, seconds, , goal]) => `| ${[work, entries, seconds, goal].join(" | ")} |`);
  const head = "| Command | entries | seconds | Goal |\n| --- | --- | --- | --- |";
  return `${[head, ...lines].join("\n")}\n\nOut of ${link("restore")}.`;
}

const link = (file: string): string => `[${file}](${file}.md)`;
const whole = (number: string): string => Math.round(Number(number)).toLocaleString("en");

// ---------------------------------------------------------------------------------------------- lists

/** What one list takes: cells of bench/results/lists.md. */
type ListCell = { list: string; size: number; store: string; ms: string; goal: string; reached: string };

function listCells(): ListCell[] {
  const [, ...sections] = read("bench/results/lists.md").split(/^## (?=[\d,]+ entries$)/m);
  return sections.flatMap((section) => {
    const size = toNumber(section.split(" ", 1)[0] as string);
    const [text = ""] = section.split(/^## /m);
    const rows = [...text.matchAll(/^\| (.*) \|$/gm)].map(([, row = ""]) => row.split("|").map((cell) => cell.trim()));
    return byColumn(rows).map((cells): ListCell => ({ ...(cells as Omit<ListCell, "size">), size }));
  });
}

/** The cells of each row of a table, by the names in its head. */
const byColumn = ([head = [], , ...rows]: readonly string[][]): Record<string, string>[] =>
  rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i] ?? ""])));

/** The services of the result as the page names them. */
function listStores(): [store: string, name: string][] {
  return [...new Set(listCells().map(({ store }) => store))].map((store) => {
    const [peer = "", engine = "PostgreSQL"] = store.split(", ");
    const isOwn = ["SQLite", "PostgreSQL"].includes(store);
    return [store, isOwn ? `Octavo, ${store}` : `${version(peer, "lists")}, ${engine}`];
  });
}
const allLists = (): string[] => [...new Set(listCells().map(({ list }) => list))];

/** What docs/charts/lists.svg shows, for those who do not see it. */
function aboutLists(): string {
  const sizes = listSizes().map((size) => size.toLocaleString("en"));
  const stores = listStores().map(([, name]) => name.replace(", ", " on "));
  return `Median latency of ${drawnLists.length} lists at ${sizes.join(" and ")} entries, on logarithmic axes, for ${stores.join(", ")}`;
}

const listSizes = (): number[] => [...new Set(listCells().map(({ size }) => size))];

/** The chart; a row for each list and size: milliseconds of each store, Octavo's with its goal. */
function listsTable(): string {
  const cells = listCells();
  const sizes = listSizes();
  const stores = listStores();
  const rows = allLists().flatMap((list) =>
    sizes.map((size) => {
      const of = cells.filter((cell) => cell.list === list && cell.size === size);
      const goals = [...new Set(of.map(({ goal }) => goal).filter(Boolean))].join("; ");
      const figures = stores.map(([store]) => msWithVerdict(of.find((cell) => cell.store === store)));
      return [list, size.toLocaleString("en"), ...figures, goals];
    }),
  );
  const head = ["list", "entries", ...stores.map(([, name]) => name), "goal"];
  const table = [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
  return `![${aboutLists()}: ${howToReadChart} The table below has the figures.](../../docs/charts/lists.svg)\n\n${table}`;
}

const howToReadChart =
  "flat lines are lists whose cost does not grow with the entries, rising lines those that read more of them.";

function msWithVerdict(cell: ListCell | undefined): string {
  if (!cell) return "not run";
  return cell.reached === "" ? `${cell.ms} ms` : `${cell.ms} ms (${shownVerdict(cell.reached)})`;
}

/** A row for each list and size: the ratio to the floor on each engine, with its goal. */
function floorTable(): string {
  const compared = Map.groupBy(
    byColumn(rowsOf("floor")).filter(({ ratio }) => ratio !== ""),
    ({ list, entries }) => `${list} | ${entries}`,
  );
  const lines = [...compared].map(([name, engines]) => {
    const figures = ["SQLite", "PostgreSQL"].map((engine) => {
      const cell = engines.find((each) => each.engine === engine);
      return cell ? `${cell.ratio} (${shownVerdict(cell.reached ?? "")})` : "not run";
    });
    const goals = [...new Set(engines.map(({ goal }) => goal))].join("; ");
    return `| ${[name, ...figures, goals].join(" | ")} |`;
  });
  const title = "| list | entries | SQLite | PostgreSQL | goal |\n| --- | --- | --- | --- | --- |";
  return [title, ...lines].join("\n");
}

const shownVerdict = (reached: string): string =>
  reached.replace(/^missed: (.*) times the goal$/, "**missed**: $1 × the goal").replace(/^missed/, "**missed**");

/** The lists of the chart, and what they are called in it. */
const drawnLists: [string, string][] = [
  ["newest ten, offset < 50", "newest ten"],
  ["price ≥ x, by price, ten", "price ≥ x, by price"],
  ["state = one of three, by price, ten, offset < 100", "state = x, by price"],
  ["group = x, 20 match", "group = x"],
  ["contains, 1 match", "contains"],
  ["search of a number, 1 match", "search"],
  ["count of a range", "count of a range"],
  ["state ≠ x, ten of a page, with total", "state ≠ x, with total"],
];

/** docs/charts/lists.svg as the results make it now. */
export function listsChart(): string {
  const cells = listCells();
  const pointsOf = (store: string, list: string): Point[] =>
    cells
      .filter((cell) => cell.store === store && cell.list === list)
      .map(({ size, ms }) => ({ size, ms: toNumber(ms.replace("refused after ", "")), isRefused: /refused/.test(ms) }));
  const panels = listStores().map(([store, name]): Panel => {
    const series = drawnLists.map(([list, name]) => ({ name, points: pointsOf(store, list) }));
    return { title: name.replace(", ", " on "), series: series.filter(({ points }) => points.length > 0) };
  });
  return chart(aboutLists(), panels);
}

const version = (peer: string, file: string): string =>
  new RegExp(`${peer} [\\d.]+\\d`).exec(read(`bench/results/${file}.md`))?.[0] ?? peer;

// ---------------------------------------------------------------------------------------------- beside others

const peerWorks: [string, string][] = [
  ["reads of one entry a second", "GET one entry, random keys, 64 connections"],
  ["filters of three conditions a second, the first leaves 20 entries", "GET 3 conditions, 16 connections"],
  ["creates a second, on the disk when answered", "POST create, 16 connections"],
];
const drawn = "GET 24 MP JPEG, distinct widths, 4 connections";

function besidePeers(): string {
  const rate = (work: string, setup: string): string => figuresOf("peers", `${work}: ${setup}`)[0];
  const noted = (work: string, setup: string, what: string): string =>
    new RegExp(`${what} ([\\d.]+)`).exec(figuresOf("peers", `${work}: ${setup}`)[2])?.[1] ?? "";
  const [, reads] = peerWorks[0] as [string, string];
  const rows = [
    ...peerWorks.map(([name, work]) => [
      name,
      rate(work, "Octavo, SQLite"),
      rate(work, "Octavo, PostgreSQL"),
      work.startsWith("GET")
        ? `${rate(work, "Directus")}; ${rate(work, "Directus, its cache on")} with its cache`
        : rate(work, "Directus"),
      "",
    ]),
    ["pictures of 24 megapixels drawn a second", rate(drawn, "Octavo"), "", "", rate(drawn, "IPX")],
    ...["s to start", "MB at rest"].map((what) => [
      what === "s to start" ? "seconds from its start to its first answer" : "megabytes of memory at rest",
      noted(reads, "Octavo, SQLite", what),
      noted(reads, "Octavo, PostgreSQL", what),
      noted(reads, "Directus", what),
      noted(drawn, "IPX", what),
    ]),
  ];
  const head = [
    "",
    "Octavo, SQLite",
    "Octavo, PostgreSQL",
    `${version("Directus", "peers")}, PostgreSQL`,
    version("IPX", "peers"),
  ];
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

// ---------------------------------------------------------------------------------------------- README.md

/** The page with the current figures. Throws if the result lacks a row. */
export const readmePage = (): string => fill(read("README.md"), "figures", threeFigures());

/** What a reader wants to know first, on the machine of the result. */
function threeFigures(): string {
  const [, reads] = peerWorks[0] as [string, string];
  const { cells } = rowOf("peers", `${reads}: Octavo, SQLite`);
  const [perSecond, note] = [cells[1], cells[7]];
  const started = /s to start ([\d.]+)/.exec(note ?? "")?.[1];
  const memory = /MB at rest ([\d.]+)/.exec(note ?? "")?.[1];
  if (!started || !memory) throw new Error("bench/results/peers.md does not say how Octavo starts and rests");
  return [
    `On two cores that also run the load: **${perSecond}** reads of one entry a second,`,
    `**${started} seconds** from the start to the first answer, **${Math.round(Number(memory))} MB** of memory before the first write.`,
    "[All results and their goals](bench/results/README.md), beside Directus and IPX.",
  ].join("\n");
}

if (import.meta.main) {
  writeFileSync(new URL("bench/results/README.md", root), resultsPage());
  writeFileSync(new URL("README.md", root), readmePage());
  mkdirSync(new URL("docs/charts/", root), { recursive: true });
  writeFileSync(new URL("docs/charts/lists.svg", root), listsChart());
}
