// Slow: it runs the compiler.
import assert from "node:assert/strict";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { check } from "../client/project.ts";
import { temporaryFolder } from "../harness.ts";

/** CONTRIBUTING, Add an image argument: what `npm run types` says of an argument that is only declared. */

const root = new URL("../../", import.meta.url).pathname;
const declaration = `
  made: plainRow(wholeNumber(0, 100), {
    changes: "pixels", member: unless(0), accepted: "a number", default: "0", help: "Made up.", example: "1",
  }),
`;

const folder = temporaryFolder();
for (const name of ["src", "client", "package.json"]) cpSync(join(root, name), join(folder, name), { recursive: true });
symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
const files = ["src/image/sharp/pipeline.ts", "client/src/public.ts"];
const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));

function insert(file: string, before: string, text: string): void {
  const [first = "", ...rest] = readFileSync(join(folder, file), "utf8").split(before);
  assert.equal(rest.length, 1, before);
  writeFileSync(join(folder, file), `${first}${text}${before}${rest[0]}`);
}

const errors = () => check(folder, "--project", folder);

test("the types name each place that an argument of images still lacks", () => {
  assert.equal(errors(), "");
  insert("src/image/modifier-row.ts", "  flip: plainRow(", declaration);
  assert.match(errors(), /^src\/image\/sharp\/pipeline\.ts.*'made' is missing(?:(?!\nsrc|\nclient).)*$/s);
  insert(
    "src/image/sharp/pipeline.ts",
    "  blur: { effect",
    "  made: { effect: (size) => (pixels) => blur(pixels, size) },\n",
  );
  assert.equal(errors(), "");
  // As npm run docs writes it.
  insert("client/src/api.ts", "      /** Mirrors: h left", "      made?: string;\n");
  assert.match(errors(), /^client\/src\/public\.ts.*"made"(?:(?!\nsrc|\nclient).)*$/s);
  insert("client/src/public.ts", '  flip: "h"', "  made: number;\n");
  assert.equal(errors(), "");
});
