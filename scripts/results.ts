/**
 * Part of `npm run docs`: writes figures of bench/results into docs/operations.md (costs of requests and entries) and
 * README.md (comparison with peers). Run it after a bench. test/house/results.test.ts compares them.
 */
import { readFileSync, writeFileSync } from "node:fs";

const root = new URL("../", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), "utf8");

/** Replaces the text between the two markers of a name. */
const fill = (text: string, name: string, content: string): string =>
  text.replace(
    new RegExp(`(<!-- ${name}: .*? -->\n)[\\s\\S]*?(\n<!-- end of ${name} -->)`),
    (_, head: string, foot: string) => `${head}\n${content}\n${foot}`,
  );

/** A rate, processor time and the note of a row. */
function figuresOf(file: string, row: string): [string, string, string] {
  const cells = read(`bench/results/${file}.md`)
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .find(([, name]) => name === row);
  if (!cells) throw new Error(`bench/results/${file}.md has no row "${row}"`);
  return [cells[2] ?? "", cells[4] ?? "", cells[8] ?? ""];
}

// ---------------------------------------------------------------------------------------------- docs/operations.md

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

/** The page with the current costs. Throws if a result lacks a row. */
export function operationsPage(): string {
  return fill(fill(read("docs/operations.md"), "costs", costs()), "sizes", sizes());
}

function costs(): string {
  const lines = rows.map(([name, file, row]) => {
    const [perSecond, cpu, note] = figuresOf(file, row);
    const server = /PostgreSQL µs ([\d.]+)/.exec(note)?.[1];
    return `| ${name} | ${perSecond} | ${whole(cpu)} | ${server ? whole(server) : ""} | ${link(file)} |`;
  });
  const head = "| Request | a second, there | nodes, µs | PostgreSQL, µs | Result |\n| --- | --- | --- | --- | --- |";
  return [head, ...lines].join("\n");
}

function sizes(): string {
  const text = read("bench/results/scale.md");
  const found = ["SQLite with", "PostgreSQL with as many"].map(
    (start) => new RegExp(`^(${start}.*)\\.$`, "m").exec(text)?.[1],
  );
  if (found.includes(undefined)) throw new Error("bench/results/scale.md has no sizes");
  return `${found.map((sentence) => `* ${sentence}.`).join("\n")}\n\nOut of ${link("scale")}: entries of about 500 bytes.`;
}

const link = (file: string): string => `[${file}](../bench/results/${file}.md)`;
const whole = (number: string): string => Math.round(Number(number)).toLocaleString("en");

// ---------------------------------------------------------------------------------------------- README.md

/** The page with the current comparison. Throws if the result lacks a row. */
export function readmePage(): string {
  return fill(read("README.md"), "peers", besidePeers());
}

const peerWorks: [string, string][] = [
  ["reads of one entry a second", "GET one entry, random keys, 64 connections"],
  ["filters of three conditions a second", "GET 3 conditions, 16 connections"],
  ["creates a second, on the disk when answered", "POST create, 16 connections"],
];
const drawn = "GET 24 MP JPEG, distinct widths, 4 connections";

function besidePeers(): string {
  const rate = (work: string, setup: string): string => figuresOf("peers", `${work}: ${setup}`)[0];
  const noted = (work: string, setup: string, what: string): string =>
    new RegExp(`${what} ([\\d.]+)`).exec(figuresOf("peers", `${work}: ${setup}`)[2])?.[1] ?? "";
  const [, reads] = peerWorks[0] as [string, string];
  const version = (peer: string): string =>
    new RegExp(`${peer} [\\d.]+\\d`).exec(read("bench/results/peers.md"))?.[0] ?? peer;
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
  const head = ["", "Octavo, SQLite", "Octavo, PostgreSQL", `${version("Directus")}, PostgreSQL`, version("IPX")];
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

if (import.meta.main) {
  writeFileSync(new URL("docs/operations.md", root), operationsPage());
  writeFileSync(new URL("README.md", root), readmePage());
}
