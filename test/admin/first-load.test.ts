import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

/** What a browser reads before it shows the admin page. Decision 16 names the bound. */

const page = new URL("../../admin/dist/index.html", import.meta.url);
const isBuilt = existsSync(page);

test("the first load of the admin page is as small as decision 16 says", {
  skip: !isBuilt && "it is not built",
}, () => {
  const decision = readFileSync(new URL("../../docs/decisions/0016-admin-page.md", import.meta.url), "utf8");
  const most = Number(/first load is at most (\d+) KB gzipped/.exec(decision)?.[1]) * 1000;
  const files = [...readFileSync(page, "utf8").matchAll(/(?:src|href)="\/admin\/([^"]+)"/g)].map(([, path]) => path);
  assert.ok(files.some((path) => path?.endsWith(".js")));
  const sizes = files.map((path) => gzipSync(readFileSync(new URL(path as string, page)), { level: 9 }).length);
  const sum = sizes.reduce((all, size) => all + size, 0);
  assert.ok(sum <= most, `${sum} bytes`);
});
