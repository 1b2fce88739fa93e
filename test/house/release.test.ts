import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { changelogFaults, disagreements, type Reading } from "../../scripts/release.ts";

/** `npm run release -- check` finds versions that disagree, and a changelog that is not ready. */

const checkout: Reading = (file) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");

/** A checkout of version 1.2.3 that can be released, with some files replaced. */
const ready = (replaced: Record<string, string> = {}): Reading => {
  const manifest = '{"version":"1.2.3"}';
  const files: Record<string, string> = {
    "package.json": manifest,
    "client/package.json": manifest,
    "admin/package.json": manifest,
    "package-lock.json": `{"version":"1.2.3","packages":{"":${manifest},"client":${manifest},"admin":${manifest}}}`,
    "api-docs/dist/open/api/openapi.json": `{"info":${manifest}}`,
    "docs/operations.md": "npm install ./dist/octavo-1.2.3.tgz",
    "CHANGELOG.md": "# Changelog\n\n## 1.2.3\n\n### New\n\n- A line.\n\n## 1.2.2\n\n- Another.\n",
    ...replaced,
  };
  return (file) => files[file] as string;
};

test("the versions of this checkout agree", () => assert.deepEqual(disagreements(checkout), []));

test("versions that disagree are named with their file", () => {
  assert.deepEqual(disagreements(ready()), []);
  const other = '{"version":"1.2.2"}';
  for (const [file, text, message] of [
    ["client/package.json", other, "client/package.json has the version 1.2.2; package.json has 1.2.3"],
    ["admin/package.json", other, "admin/package.json has the version 1.2.2; package.json has 1.2.3"],
    [
      "package-lock.json",
      ready()("package-lock.json").replace('"client":{"version":"1.2.3"}', `"client":${other}`),
      "package-lock.json packages client has the version 1.2.2; package.json has 1.2.3",
    ],
    [
      "api-docs/dist/open/api/openapi.json",
      `{"info":${other}}`,
      "api-docs/dist/open/api/openapi.json info has the version 1.2.2; package.json has 1.2.3",
    ],
    ["docs/operations.md", "./octavo-1.2.2.tgz", "docs/operations.md names octavo-1.2.2.tgz; package.json has 1.2.3"],
  ] as const) {
    assert.deepEqual(disagreements(ready({ [file]: text })), [message], file);
  }
});

test("the newest section of the changelog is that of the version, once and with a line", () => {
  assert.deepEqual(changelogFaults(ready()), []);
  for (const [text, message] of [
    ["## Unreleased (1.2.3)\n\n- A line.\n", 'its newest section is "Unreleased (1.2.3)"; expected "1.2.3"'],
    ["## 1.2.2\n\n- A line.\n", 'its newest section is "1.2.2"; expected "1.2.3"'],
    ["No section.\n", 'its newest section is ""; expected "1.2.3"'],
    ["## 1.2.3\n\n### New\n\n## 1.2.2\n\n- Another.\n", 'its section "1.2.3" has no line'],
    ["## 1.2.3\n\n- A.\n\n## 1.2.3\n\n- B.\n", 'it has two sections "1.2.3"'],
  ]) {
    const log = `# Changelog\n\n${text}`;
    assert.deepEqual(changelogFaults(ready({ "CHANGELOG.md": log })), [`CHANGELOG.md: ${message}`]);
  }
});
