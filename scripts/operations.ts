/**
 * Part of `npm run docs`: writes what requests and entries cost into docs/operations.md, out of bench/results. When a
 * bench has run again, run this again. test/house/operations.test.ts compares.
 */
import { readFileSync, writeFileSync } from "node:fs";

const root = new URL("../", import.meta.url);
const page = new URL("docs/operations.md", root);
const read = (file: string): string => readFileSync(new URL(file, root), "utf8");

/** What a row is called here, the result it stands in, and its name there. */
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

/** The page with the costs that the results have now. Throws when a result lacks a row. */
export function operationsPage(): string {
  return fill(fill(readFileSync(page, "utf8"), "costs", costs()), "sizes", sizes());
}

/** Puts a text between the two marks of a name. */
const fill = (text: string, name: string, content: string): string =>
  text.replace(
    new RegExp(`(<!-- ${name}: .*? -->\n)[\\s\\S]*?(\n<!-- end of ${name} -->)`),
    (_, head: string, foot: string) => `${head}\n${content}\n${foot}`,
  );

function costs(): string {
  const lines = rows.map(([name, file, row]) => {
    const [perSecond, cpu, note] = figuresOf(file, row);
    const server = /PostgreSQL µs ([\d.]+)/.exec(note)?.[1];
    return `| ${name} | ${perSecond} | ${whole(cpu)} | ${server ? whole(server) : ""} | ${link(file)} |`;
  });
  const head = "| Request | a second, there | nodes, µs | PostgreSQL, µs | Result |\n| --- | --- | --- | --- | --- |";
  return [head, ...lines].join("\n");
}

/** A rate, processor time and the note of a row. */
function figuresOf(file: string, row: string): [string, string, string] {
  const cells = read(`bench/results/${file}.md`)
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .find(([, name]) => name === row);
  if (!cells) throw new Error(`bench/results/${file}.md has no row "${row}"`);
  return [cells[2] ?? "", cells[4] ?? "", cells[8] ?? ""];
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

if (import.meta.main) writeFileSync(page, operationsPage());
