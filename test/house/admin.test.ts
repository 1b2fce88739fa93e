import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";
import { type ESTree, parseSync } from "vite";
import { flowsOfDocs } from "../admin/flows.ts";
import { circlesOf } from "./circle.ts";

/** The rooms of the admin page: which may import which, and how large their components are. */

const root = new URL("../../", import.meta.url).pathname;
const source = "admin/src/";
const files = globSync(`${source}**/*.{ts,tsx}`, { cwd: root });

/** The rooms, each after all that it imports: folders, and the files beside them. */
const order = `
  language api model model/bulk model/draft model/form model/entry model/filter model/table model/image model/text model/type
  session-context.ts ui session query history reference move trash image file create picker text/drawn text
  field form type preview release desk publish presence draft translation entry
  registry role person event webhook agent token work health
  pages.tsx menu.tsx finder.tsx shell.tsx sign-in app.tsx theme.ts main.tsx
`
  .trim()
  .split(/\s+/);
/** What the rooms without React may use. */
const plainPackages = new Set(["@sindresorhus/slugify", "diff", "dompurify", "turndown"]);

/** The room of a file: its folder, or its own name beside the folders. */
function roomOf(file: string): string {
  const path = file.slice(source.length);
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : path;
}

const isPlain = (file: string): boolean => /^(?:language|api|model)(?:\/|$)/.test(roomOf(file));

/** What a text imports and exports again, at once or later, with its types. */
function namesIn(file: string, text: string): string[] {
  const { module } = parseSync(file, text);
  const again = module.staticExports.flatMap(({ entries }) => entries);
  const requests = [...module.staticImports, ...module.dynamicImports, ...again].map((each) => each.moduleRequest);
  return requests.flatMap((each) => (each ? [text.slice(each.start + 1, each.end - 1)] : []));
}

type Arrow = { from: string; to: string };

const targetOf = (file: string, name: string): string =>
  new URL(name.replace(/\?.*/, ""), `file:///${file}`).pathname.slice(1);

/** The imports within the page that go from one room to another. */
const arrowsOf = (file: string, text: string): Arrow[] =>
  namesIn(file, text)
    .filter((name) => name.startsWith("."))
    .map((name) => ({ from: file, to: targetOf(file, name) }))
    .filter(({ to }) => to.startsWith(source) && roomOf(to) !== roomOf(file));

/** Those to a room that does not stand before. */
const arrowsUp = (arrows: readonly Arrow[]): string[] =>
  arrows
    .filter(({ from, to }) => order.indexOf(roomOf(to)) >= order.indexOf(roomOf(from)))
    .map(({ from, to }) => `${from} imports ${to}`);

test("imports of every form are read", () => {
  const text = [
    'import "./own.css";',
    'import { type Field } from "../form/field.ts";',
    'export { Page } from "../entry/page.tsx";',
    'const Later = lazy(async () => ({ default: (await import("../token/later.tsx")).Later }));',
    'const words = `import "../role/text.ts"`;',
  ];
  const arrows = arrowsOf(`${source}picker/made.tsx`, text.join("\n"));
  const targets = ["entry/page.tsx", "form/field.ts", "token/later.tsx"];
  assert.deepEqual(arrows.map(({ to }) => to).sort(), [...targets.map((name) => source + name)]);
  assert.equal(arrowsUp(arrows).length, 3);
  assert.deepEqual(arrowsUp(arrowsOf(`${source}role/made.tsx`, 'import { a } from "../ui/a.ts";')), []);
});

test("each room of the admin page has its place in one order", () => {
  assert.deepEqual([...new Set(files.map(roomOf))].sort(), order.toSorted());
});

test("a room of the admin page imports only what stands before it, so that no two import each other", () => {
  const arrows = files.flatMap((file) => arrowsOf(file, readFileSync(root + file, "utf8")));
  assert.ok(arrows.length > 1000);
  assert.deepEqual(arrowsUp(arrows), []);
});

/** What holds others of its own kind: a group of fields has fields, a field of a schema has fields. */
const recursive = [
  "form: control.tsx group.tsx list-row.tsx list.tsx variants.tsx",
  "type: field-card.tsx field-list.tsx field-options.tsx shape-list.tsx",
];

test("no files of the admin page import each other in a circle, but for those that are drawn within themselves", () => {
  const below = new Map(
    files.map((file) => [file, namesIn(file, readFileSync(root + file, "utf8")).map((name) => targetOf(file, name))]),
  );
  const named = circlesOf(below).map(
    (circle) => `${roomOf(circle[0] as string)}: ${circle.map((each) => basename(each)).join(" ")}`,
  );
  assert.deepEqual(named.sort(), recursive);
});

test("calls and the model of the admin page know no React", () => {
  for (const file of files.filter(isPlain)) {
    assert.doesNotMatch(file, /\.tsx$/);
    for (const name of namesIn(file, readFileSync(root + file, "utf8"))) {
      const target = name.startsWith(".") ? targetOf(file, name) : name;
      const isAllowed =
        plainPackages.has(target) ||
        /^(?:client\/)?src\//.test(target) ||
        (target.startsWith(source) && isPlain(target));
      assert.ok(isAllowed, `${file} imports ${name}`);
    }
  }
});

test("views take the parts of the editor that they need: only the editor of an entry names all of it", () => {
  const naming = files.filter((file) => /\bEditing\b/.test(readFileSync(root + file, "utf8")));
  const own = ["draft/use-draft.ts", "entry/editor.tsx", "model/draft/editing.ts"];
  assert.deepEqual(naming.sort(), [...own.map((name) => source + name)]);
});

/** More is not read at once. */
const mostLines = 60;

type Sized = [name: string, lines: number];

/** The functions at the top level of a text, components and hooks among them, with their numbers of lines. */
function sizesOf(file: string, text: string): Sized[] {
  const { program } = parseSync(file, text);
  return program.body.flatMap((statement) =>
    functionsOf(statement).map(({ name, start, end }): Sized => [name, text.slice(start, end).split("\n").length]),
  );
}

type Part = { name: string; start: number; end: number };

function functionsOf(statement: ESTree.Statement): Part[] {
  if (statement.type === "ExportNamedDeclaration" && statement.declaration) return functionsOf(statement.declaration);
  if (statement.type === "FunctionDeclaration") return [{ ...statement, name: statement.id?.name ?? "" }];
  if (statement.type !== "VariableDeclaration") return [];
  return statement.declarations.flatMap(({ id, init, start, end }) =>
    init && isFunction(init) ? [{ name: "name" in id ? id.name : "", start, end }] : [],
  );
}

/** Also what is made of one, as by `memo`. */
function isFunction(value: ESTree.Expression): boolean {
  if (value.type === "CallExpression")
    return value.arguments.some((each) => each.type !== "SpreadElement" && isFunction(each));
  return value.type === "ArrowFunctionExpression" || value.type === "FunctionExpression";
}

test("the lines of a component are counted", () => {
  const text = [
    "export function Long({",
    "  a,",
    "}: Props) {",
    "  return (",
    "    <p>",
    "    </p>",
    "  );",
    "}",
    "const Short = () => null;",
    "export const Wrapped = memo(function Inner() {",
    "  return null;",
    "});",
    "const notOne = new Set([",
    "]);",
  ];
  assert.deepEqual(sizesOf("made.tsx", text.join("\n")), [
    ["Long", 8],
    ["Short", 1],
    ["Wrapped", 3],
  ]);
});

test(`no function of the admin page has more than ${mostLines} lines`, () => {
  const sizes = files.flatMap((file) =>
    sizesOf(file, readFileSync(root + file, "utf8")).map((size) => [file.slice(source.length), ...size] as const),
  );
  assert.ok(sizes.length > 1000);
  assert.deepEqual(
    sizes.filter(([, , lines]) => lines > mostLines),
    [],
  );
});

test("each flow of docs/admin.md's table of clicks is counted by a test in a browser", () => {
  assert.ok(flowsOfDocs.size > 20, `${flowsOfDocs.size} flows`);
  const tests = globSync("test/admin/**/*.test.ts", { cwd: root }).map((file) => readFileSync(root + file, "utf8"));
  const missing = [...flowsOfDocs.keys()].filter((flow) => !tests.some((text) => text.includes(`clicksOf("${flow}")`)));
  assert.deepEqual(missing, []);
});
