import assert from "node:assert/strict";
import { test } from "node:test";
import type { Path } from "../core/path.ts";
import { maxDataBytes } from "../entry/entry.ts";
import {
  conflictRule,
  existingFile,
  type File,
  type FileInput,
  fileFields,
  fileItem,
  formatFile,
  isSentAs,
  refuseTooLarge,
  renamedFile,
  uploadedFile,
  versionOf,
  withoutReplacing,
} from "./file.ts";

const place = { root: "/srv/uploads", base: "https://example.org" };
const file: File = {
  path: "photos/Ein Café.tar.GZ" as Path,
  title: 'A "title"',
  description: "",
  type: "application/gzip",
  hash: "0123456789abcdef".repeat(4),
  size: 12,
  uploadedAt: 100,
  image: undefined,
  meta: '{"alt":"x","n":1.0}',
  createdAt: 50,
  modifiedAt: 200,
  revision: 7,
  contentRevision: 7,
  uuid: "00000000-0000-4000-8000-000000000001",
  sentName: null,
  givenName: null,
  uploader: null,
};
const parsed = (part: Partial<File> = {}) =>
  JSON.parse(formatFile({ ...file, ...part }, place)) as Record<string, unknown>;

test("a file is answered with its type and its location", () => {
  assert.deepEqual(parsed(), {
    title: 'A "title"',
    description: "",
    type: "application/gzip",
    filesize: 12,
    uploaded_on: 100,
    exif: {},
    alt: "x",
    n: 1,
    filename: "Ein Café.tar.GZ",
    basename: "Ein Café.tar",
    extension: "GZ",
    dirname: "/srv/uploads/photos",
    url: "project/uploads/photos/Ein Café.tar.GZ",
    full_url: "https://example.org/project/uploads/photos/Ein%20Caf%C3%A9.tar.GZ",
    version: "0123456789abcdef",
  });
});
test("numbers of meta fields are answered as sent", () => {
  assert.match(formatFile(file, place), /"alt":"x","n":1\.0,"filename"/);
});
test("a file in the root without meta fields", () => {
  const answer = parsed({ meta: "{}", path: "x" as Path });
  assert.deepEqual([answer.dirname, answer.extension, answer.basename], ["/srv/uploads", "", "x"]);
  assert.deepEqual(new Set(Object.keys(answer)), fileFields);
});
test("an image has its size in exif", () => {
  const { exif } = parsed({ image: { width: 3, height: 2, isColor: false } });
  assert.deepEqual(exif, { html: 'width="3" height="2"', Height: 2, Width: 3, IsColor: 0 });
});
test("a search reads the title, the description and the meta fields", () => {
  const { serviceKeys } = fileItem(file, place);
  const searched = Object.keys(parsed()).filter((key) => !serviceKeys.has(key));
  assert.deepEqual(searched, ["title", "description", "alt", "n"]);
});
test("the version changes only with the bytes", () => {
  assert.equal(versionOf(file), versionOf(uploadedFile(file, "y" as Path, { ...input, hash: file.hash }, stamp)));
  assert.notEqual(versionOf(file), versionOf({ hash: "f".repeat(64) }));
});

// ---------------------------------------------------------------------------------------------- rules of writes

const input: FileInput = {
  name: "b.png",
  onConflict: "replace",
  title: undefined,
  description: undefined,
  type: "image/png",
  hash: "f".repeat(64),
  generation: 0,
  size: 5,
  image: { width: 1, height: 1, isColor: true },
};
const bytes = {
  type: input.type,
  hash: input.hash,
  size: input.size,
  image: input.image,
  uploadedAt: 300,
  revision: 8,
};
const path = "photos/b.x.png" as Path;
const uuid = "00000000-0000-4000-8000-000000000002";
const stamp = { revision: 8, nowSeconds: 300, uuid, actor: "person:1" };

test("the title of a new file is its name", () => {
  assert.deepEqual(uploadedFile(undefined, path, input, stamp), {
    ...{ ...bytes, uuid, path, title: "b.x", description: "", meta: "{}", uploader: "person:1" },
    ...{ createdAt: 300, modifiedAt: 300, contentRevision: 8, sentName: null, givenName: null },
  });
});
test("the title is the name that was sent, without its extension", () => {
  const sent = uploadedFile(undefined, path, { ...input, sentName: "B X.PNG" }, stamp);
  assert.deepEqual([sent.title, sent.sentName, sent.givenName], ["B X", "B X.PNG", "b.x.png"]);
  const moved = uploadedFile(sent, path, { ...input, sentName: "B X.PNG", givenName: null }, stamp);
  assert.deepEqual([moved.sentName, moved.givenName], ["B X.PNG", null]);
});
test("a file counts as sent under its name, one without or that was moved under any that becomes it", () => {
  const sent = { ...file, path, sentName: "B X.PNG", givenName: "b.x.png" };
  assert.deepEqual([isSentAs(sent, "B X.PNG"), isSentAs(sent, "b x.png")], [true, false]);
  assert.equal(isSentAs({ ...sent, givenName: "c.png" }, "b x.png"), true);
  assert.equal(isSentAs({ ...sent, sentName: null, givenName: null }, "b x.png"), true);
});
test("only where a request says nothing, and the setting is replace, have other names a rule of their own", () => {
  assert.deepEqual(conflictRule(undefined, "replace"), { onConflict: "replace", onOther: "suffix" });
  assert.deepEqual(conflictRule("replace", "replace"), { onConflict: "replace" });
  assert.deepEqual(conflictRule(undefined, "fail"), { onConflict: "fail" });
  const numbered = { onConflict: "fail", onOther: "suffix" };
  assert.deepEqual(withoutReplacing({ onConflict: "replace", onOther: "suffix" }), numbered);
  assert.deepEqual(withoutReplacing({ onConflict: "replace" }), { onConflict: "fail", onOther: "fail" });
  assert.deepEqual(withoutReplacing({ onConflict: "suffix" }), { onConflict: "suffix", onOther: "suffix" });
});
test("a replaced file keeps its meta fields", () => {
  assert.deepEqual(uploadedFile(file, file.path, input, stamp), {
    ...{ ...file, ...bytes, modifiedAt: 300, contentRevision: 8, uploader: "person:1" },
  });
});
test("a sent title is used, even an empty one", () => {
  const sent = { ...input, title: "", description: "D" };
  assert.deepEqual(
    [uploadedFile(file, file.path, sent, stamp)].map(({ title, description }) => [title, description]),
    [["", "D"]],
  );
});
test("a clock that was set back does not decrease modified_at, but sets uploaded_on", () => {
  const replaced = uploadedFile(file, file.path, input, { ...stamp, nowSeconds: 1 });
  assert.deepEqual([replaced.modifiedAt, replaced.uploadedAt, replaced.createdAt], [200, 1, 50]);
});
test("texts are limited in bytes", () => {
  refuseTooLarge("title", "é".repeat(maxDataBytes / 2));
  const large = "é".repeat(maxDataBytes / 2 + 1);
  for (const part of [{ title: large }, { description: large }]) {
    const name = Object.keys(part)[0];
    assert.throws(() => uploadedFile(undefined, path, { ...input, ...part }, stamp), {
      code: "data_too_large",
      message: new RegExp(`^"${name}"`),
    });
  }
});
test("a rename changes only path and revision, and keeps the type if the extension matches", () => {
  const picture = { ...file, path: "a.png" as Path, type: "image/png" };
  assert.deepEqual(renamedFile(picture, "b/c.png" as Path, [], 9), { ...picture, path: "b/c.png", revision: 9 });
  assert.throws(() => renamedFile(picture, "a.txt" as Path, ["txt"], 9), { code: "file_type_refused" });
  assert.throws(() => renamedFile(picture, "a" as Path, ["png"], 9), { code: "file_type_refused" });
  const text = { ...file, path: "a.txt" as Path, type: "text/plain" };
  assert.equal(renamedFile(text, "a.CSV" as Path, ["csv"], 9).type, "text/csv");
});
test("a missing file, or another revision, is refused", () => {
  assert.equal(existingFile(file, file.path, '"7"'), file);
  assert.throws(() => existingFile(undefined, path, "*"), { code: "file_not_found", message: /photos\/b\.x\.png/ });
  assert.throws(() => existingFile(file, path, '"8"'), { code: "revision_mismatch" });
});
