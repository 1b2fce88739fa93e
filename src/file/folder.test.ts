import assert from "node:assert/strict";
import { test } from "node:test";
import type { Path } from "../core/path.ts";
import { existingFolder, type Folder, folderFields, formatFolder, refuseInside, refuseTaken } from "./folder.ts";

const place = { root: "/srv/uploads", base: "https://example.org/cms" };
const folder: Folder = { path: 'a b/"ü"?' as Path, createdAt: 1, modifiedAt: 1, revision: 3 };

test("a folder has the names of either dialect", () => {
  const urls = {
    url: 'project/uploads/a b/"ü"?',
    full_url: "https://example.org/cms/project/uploads/a%20b/%22%C3%BC%22%3F",
  };
  const own = { path: folder.path, full_path: '/srv/uploads/a b/"ü"?', ...urls };
  const media = { id: folder.path, full_id: '/srv/uploads/a b/"ü"?', ...urls };
  assert.deepEqual(JSON.parse(formatFolder(folder, "path", place)), own);
  assert.deepEqual(JSON.parse(formatFolder(folder, "id", place)), media);
  assert.deepEqual(new Set([...Object.keys(own), ...Object.keys(media)]), folderFields);
});
test("the root has no trailing slash", () => {
  assert.deepEqual(JSON.parse(formatFolder({ ...folder, path: "" as Path }, "path", place)), {
    path: "",
    full_path: "/srv/uploads",
    url: "project/uploads",
    full_url: "https://example.org/cms/project/uploads",
  });
});

test("a missing folder, or another revision, is refused", () => {
  assert.equal(existingFolder(folder, folder.path, '"3"'), folder);
  assert.throws(() => existingFolder(undefined, "x" as Path, undefined), {
    code: "folder_not_found",
    message: /"path" was "x"/,
  });
  assert.throws(() => existingFolder(folder, folder.path, '"4"'), { code: "revision_mismatch" });
});
test("a taken path is refused with its kind and the argument", () => {
  const path = "x" as Path;
  refuseTaken("new_path", path, { folder: undefined, file: undefined });
  assert.throws(() => refuseTaken("new_path", path, { folder, file: undefined }), {
    code: "folder_exists",
    message: /^"new_path"/,
  });
  assert.throws(() => refuseTaken("new_id", path, { folder: undefined, file: {} }), {
    code: "file_exists",
    message: /^"new_id"/,
  });
});
test("a folder does not move into itself", () => {
  assert.throws(() => refuseInside("a" as Path, "a/b" as Path), { code: "move_into_itself" });
  refuseInside("a" as Path, "ab" as Path);
});
