import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { test } from "node:test";

/**
 * Every citation in comments, messages and pages exists in this repository: `contract §4, Collections`, `compatibility, Images`,
 * `ARCHITECTURE, Sources of truth`, `decision 42`, `RFC 9110 §13`.
 */

const root = new URL("../../", import.meta.url).pathname;
const self = "test/house/citation.test.ts";
const read = (file: string): string => readFileSync(root + file, "utf8");

const rooms = "{src,client,admin,reference,generators,scripts,bench,test,docs,examples,deploy}";
const files = globSync([`${rooms}/**/*.{ts,tsx,md,sql,css,html,sh}`, "*.md"], {
  cwd: root,
  exclude: (name) => name === "node_modules" || name === "dist",
}).filter((file) => file !== self);
/** A citation may continue on the next line, after a comment marker. */
const joinLines = (text: string): string => text.replace(/\n[ \t]*(?:(?:\*|\/\/|--)[ \t])?[ \t]*/g, " ");
const texts = new Map(files.map((file) => [file, joinLines(read(file))]));

const headingsOf = (page: string): string[] =>
  [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading as string);
const contract = read("docs/contract.md");
/** The headings below each section of the contract, by its number. */
const sections = new Map(
  contract
    .split(/^## §/m)
    .slice(1)
    .map((section) => [Number.parseInt(section, 10), headingsOf(section.split(/^#{1,2} /m)[0] as string)]),
);
/** The headings of a page, by its citation name. */
const pages = {
  ARCHITECTURE: headingsOf(read("docs/ARCHITECTURE.md")),
  "[Cc]ompatibility": headingsOf(read("docs/compatibility.md")),
  "[Cc]ontract": headingsOf(contract),
};
const decisions = globSync("docs/decisions/*.md", { cwd: root }).map((file) => Number(file.slice(15, 19)));
/** Those that are not replaced (decision.test.ts). */
const inForce = globSync("docs/decisions/*.md", { cwd: root })
  .filter((file) => read(file).includes("\nStatus: in force.\n"))
  .map((file) => Number(file.slice(15, 19)));
/** What tells how it was: replaced decisions, measurements and changes of their time. */
const isHistory = (file: string): boolean =>
  /^(?:docs\/decisions|docs\/changes|bench\/results)\/|^CHANGELOG/.test(file);
/** The numbers in `decision 4`, `decisions 4, 7 and 12`, `decisions/0004-blobs-by-hash.md`. */
const decisionsIn = (text: string): number[] => [
  ...[...text.matchAll(/\bdecisions? (\d+(?:(?:,| and|, and) \d+)*)/gi)].flatMap(([, list = ""]) =>
    [...list.matchAll(/\d+/g)].map(Number),
  ),
  ...[...text.matchAll(/\bdecisions\/(\d{4})-/g)].map(([, number]) => Number(number)),
];
const standards = new Set([...contract.matchAll(/^\| RFC (\d+) \|/gm)].map(([, number]) => number));

/** The text after each match of the pattern. */
function behind(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => text.slice(match.index + match[0].length).slice(0, 100));
}

/** True when the text begins with one complete heading. */
const beginsWith = (text: string, headings: readonly string[]): boolean =>
  headings.some((heading) => text.startsWith(heading) && !/^\w/.test(text.slice(heading.length)));

/** The missing sections of a citation of the contract, such as `§5 and §4, Collections`. */
function missingSections(text: string): string[] {
  const [number, comma, next] = /^§(\d+)(, (?=[A-Z]))?(.*)/.exec(text)?.slice(1) ?? [];
  const headings = sections.get(Number(number));
  const isThere = headings !== undefined && (!comma || beginsWith(next as string, headings));
  const another = /^[^§.;:()]*?(?:,| and| or| to) (?=§)(.*)/.exec(next ?? "")?.[1];
  return [...(isThere ? [] : [text.slice(0, 40)]), ...(another === undefined ? [] : missingSections(another))];
}

/** Fails with all that `faultsOf` finds in any file. */
function findNone(faultsOf: (text: string, file: string) => string[]): void {
  const faults = [...texts].flatMap(([file, text]) => faultsOf(text, file).map((fault) => `${file}: ${fault}`));
  assert.deepEqual(faults, []);
}

test("the contract has the sections 1 to 20, and those of languages and finding", () => {
  assert.deepEqual([...sections.keys()], [...Array.from({ length: 20 }, (_, i) => i + 1), 24, 25]);
});

test("every cited section of the contract exists", () => {
  findNone((text, file) => {
    const pattern = file === "docs/contract.md" ? /(?<!RFC \d+ |# |to )(?=§\d)/g : /\bcontract,? (?=§)/gi;
    return behind(text, pattern).flatMap(missingSections);
  });
});

test("every cited heading of a page exists", () => {
  findNone((text) =>
    Object.entries(pages).flatMap(([page, headings]) =>
      behind(text, new RegExp(`\\b${page}(?:\\.md)?, (?=[A-Z])`, "g"))
        .filter((rest) => !beginsWith(rest, headings))
        .map((rest) => `… ${rest.slice(0, 40)}`),
    ),
  );
});

test("every cited decision exists, and code and guides cite those in force", () => {
  findNone((text, file) =>
    decisionsIn(text)
      .filter((number) => !(isHistory(file) ? decisions : inForce).includes(number))
      .map((number) => `decision ${number}`),
  );
});

test("every decision in force is cited by code or a guide", () => {
  const cited = new Set([...texts].flatMap(([file, text]) => (isHistory(file) ? [] : decisionsIn(text))));
  assert.deepEqual(
    inForce.filter((number) => !cited.has(number)),
    [],
    "decisions that nothing cites: cite them where they hold, or merge them",
  );
});

test("every cited standard is in the contract's table of standards", () => {
  findNone((text) =>
    behind(text, /\bRFC(?!s\b)/g)
      .filter((rest) => !standards.has(/^ (\d+)\b(?!,? section)/i.exec(rest)?.[1]))
      .map((rest) => `RFC${rest.slice(0, 20)}`),
  );
});

test("every file that a guide or a decision in force names is in the repository", () => {
  findNone((text, file) =>
    !/^docs\/(?!changes\/)/.test(file) || text.includes("Status: replaced by ")
      ? []
      : [...text.matchAll(/`((?:src|client|admin|test|scripts|api-docs|generators|deploy)\/[\w./-]+\.\w+)`/g)]
          .map(([, named = ""]) => named)
          .filter((named) => !existsSync(root + named)),
  );
});

test("every cited page is in the repository", () => {
  const elsewhere = [
    /\b(?:DESIGN|HOUSE)\.md/g,
    /\breference(?:[ -]behaviour(?:\.md)?)? §|\breference-behaviour|\bcontent-service-api/gi,
    /\bspec(?:ification)?, (?=[A-Z"])/gi,
    /\bshared\/|\(notes\)|\bmeasured-\d/g,
    /\bissue (?:point )?\d/gi,
    /\bdecision ["“]/gi,
  ];
  findNone((text) => elsewhere.flatMap((pattern) => [...text.matchAll(pattern)].map(([cited]) => cited)));
});
