import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { type ESTree, parseSync } from "vite";

/** The texts of the admin page: all stand in the catalogue of each language, and what is read is one of them. */

const root = new URL("../../", import.meta.url).pathname;
const source = "admin/src/";
const files = globSync(`${source}**/*.{ts,tsx}`, { cwd: root }).map((file) => ({
  file: file.slice(source.length),
  text: readFileSync(root + file, "utf8"),
}));
const catalogues = globSync(`${source}language/*.json`, { cwd: root });

type Node = ESTree.Node;

/** The nodes of a text, each before those in it. */
function* nodesOf(node: unknown): Generator<Node> {
  if (Array.isArray(node)) for (const each of node) yield* nodesOf(each);
  if (typeof node !== "object" || node === null || !("type" in node)) return;
  yield node as Node;
  for (const value of Object.values(node)) if (typeof value === "object") yield* nodesOf(value);
}

const sayings = new Set(["say", "sayMany", "sayParts"]);

/** The texts that are said; what stands in place of a literal is a fault. */
function saidIn(file: string, text: string): { keys: string[]; faults: string[] } {
  const keys: string[] = [];
  const faults: string[] = [];
  for (const node of nodesOf(parseSync(file, text).program)) {
    if (node.type !== "CallExpression" || node.callee.type !== "Identifier" || !sayings.has(node.callee.name)) continue;
    const texts = node.callee.name === "sayMany" ? node.arguments.slice(1, 3) : node.arguments.slice(0, 1);
    const literals = texts.flatMap((each) =>
      each.type === "Literal" && typeof each.value === "string" ? [each.value] : [],
    );
    if (literals.length === texts.length) keys.push(literals.join("|"));
    else faults.push(`${file}: ${text.slice(node.start, node.end)}`);
  }
  return { keys, faults };
}

/** Attributes that people read or hear. */
const read = new Set([
  ...["label", "title", "placeholder", "aria-label", "aria-description", "description", "alt", "error", "submit"],
  ...["help", "hint", "failure", "empty", "advice", "retry", "closeButtonLabel"],
]);
/** Names of products and formats, and examples of what is typed. */
const spared = [
  ...["JSON", "Octavo", "Markdown", "HTML", "preview_url", "uploads/", "uploads.unknown/", "octavo uploads adopt"],
  ...["/health/", "&nbsp;", "oct_m_…", "oct_a_…", "site.title", "concerts/*", "#f0f0f0"],
  "https://example.org/hooks/octavo",
];

/** What is read and not said: texts between tags, and attributes that are literals or have letters in a template. */
function unsaidIn(file: string, text: string): string[] {
  return [...nodesOf(parseSync(file, text).program)]
    .flatMap((node) => {
      if (node.type === "JSXText") return [node.value.trim()];
      if (node.type !== "JSXAttribute" || !node.value || node.name.type !== "JSXIdentifier") return [];
      if (!read.has(node.name.name)) return [];
      return literalsOf(node.value.type === "JSXExpressionContainer" ? node.value.expression : node.value);
    })
    .filter((each) => /\p{Letter}/u.test(each) && !spared.includes(each))
    .map((each) => `${file}: ${each}`);
}

/** What an attribute can be as it stands, either way of a condition. */
function literalsOf(node: Node): string[] {
  if (node.type === "Literal") return typeof node.value === "string" ? [node.value] : [];
  if (node.type === "TemplateLiteral") return [node.quasis.map(({ value }) => value.raw).join("")];
  if (node.type === "ConditionalExpression") return [...literalsOf(node.consequent), ...literalsOf(node.alternate)];
  return node.type === "LogicalExpression" ? literalsOf(node.right) : [];
}

test("what is said, and what is read without being said, is found", () => {
  const text = [
    'const a = say("One {name}", { name });',
    'const b = sayMany(2, "{count} word", "{count} words");',
    "const c = <p title={isTwo ? `Two` : say(x)}>Three{sayParts('Four', {})}</p>;",
  ].join("\n");
  const { keys, faults } = saidIn("made.tsx", text);
  assert.deepEqual(keys, ["One {name}", "{count} word|{count} words", "Four"]);
  assert.deepEqual(faults, ["made.tsx: say(x)"]);
  assert.deepEqual(unsaidIn("made.tsx", text), ["made.tsx: Two", "made.tsx: Three"]);
});

test("each text of the admin page is said", () => {
  assert.deepEqual(
    files.flatMap(({ file, text }) => unsaidIn(file, text)),
    [],
  );
});

const said = files.map(({ file, text }) => saidIn(file, text));
const keys = new Set(said.flatMap((each) => each.keys));

test("what is said is a literal, so that it can be translated", () => {
  assert.ok(keys.size > 1000, `${keys.size} texts`);
  assert.deepEqual(
    said.flatMap(({ faults }) => faults),
    [],
  );
  const forms = [...keys].filter((key) => key.split("|").length > 2 || key !== key.trim());
  assert.deepEqual(forms, []);
});

/** The names in the places of a text, each once. */
const placesOf = (text: string): string =>
  [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].sort().join(" ");

for (const path of catalogues) {
  test(`${path} has all texts, with the places that they have in English, and no others`, () => {
    const catalogue = JSON.parse(readFileSync(root + path, "utf8")) as Record<string, string>;
    assert.deepEqual(new Set(Object.keys(catalogue)).symmetricDifference(keys), new Set());
    for (const [key, text] of Object.entries(catalogue)) {
      const [english, translated] = [key.split("|"), text.split("|")];
      assert.ok(text === text.trim() && text !== "" && english.length <= translated.length, key);
      for (const each of translated) {
        // The form of one may leave out how many there are.
        const places = placesOf(each);
        assert.ok(
          places === placesOf(english.at(-1) ?? "") || places === placesOf(english[0] ?? ""),
          `${key}: ${text}`,
        );
      }
    }
  });
}
