import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

/** The sizes of the components and hooks of the admin page. */

const root = new URL("../../", import.meta.url).pathname;
const mostLines = 80;

/** The components and hooks of a file, by their names at the top level, with their numbers of lines as Biome formats them. */
function sizesOf(source: string): [name: string, lines: number][] {
  const lines = source.split("\n");
  return lines.flatMap((line, start) => {
    const [, name] = /^(?:export )?(?:function|const) ([A-Z]\w*|use[A-Z]\w*)/.exec(line) ?? [];
    if (name === undefined) return [];
    // Parameters on lines of their own end with a line at the margin, too.
    const isEnd = (text: string) => /^(?:\S.*)?[;}]$/.test(text) && !/^(?:export )?\w.*[^;]$/.test(text);
    const length = lines.slice(start).findIndex(isEnd) + 1;
    return [[name, length] as [string, number]];
  });
}

test("the lines of a component are counted", () => {
  const head = ["type Props = {", "  a: string;", "};", "", "export function Long({", "  a,", "}: Props) {"];
  const source = [
    ...head,
    "  return (",
    "    <p>",
    "    </p>",
    "  );",
    "}",
    "",
    "const Short = () => null;",
    "function useIt() {",
    "}",
  ];
  assert.deepEqual(sizesOf(source.join("\n")), [
    ["Long", 8],
    ["Short", 1],
    ["useIt", 2],
  ]);
});

test(`no component of the admin page has more than ${mostLines} lines`, () => {
  const files = globSync("admin/src/**/*.{ts,tsx}", { cwd: root });
  const sizes = files.flatMap((file) =>
    sizesOf(readFileSync(root + file, "utf8")).map((size) => [file, ...size] as const),
  );
  assert.ok(sizes.length > 200);
  assert.deepEqual(
    sizes.filter(([, , lines]) => lines > mostLines),
    [],
  );
});
