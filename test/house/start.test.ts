import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

// Each takes time and memory of every start. Decision 44.
test("the service loads without Node's fetch and WebSocket client, and without the libraries of single requests", () => {
  const app = JSON.stringify(new URL("../../src/app.ts", import.meta.url).href);
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    await import(${app});
    console.log(JSON.stringify([...loaded, ...process.moduleLoadList]));`;
  const text = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
  const loaded = JSON.parse(text) as string[];
  assert.ok(
    loaded.some((name) => name.endsWith("/src/core/http/server.ts")),
    "the list is complete",
  );
  const costly =
    /undici|\/node_modules\/(?:typebox|sharp|pg|file-type|saxes|aws4fetch|tar-stream|openid-client|oauth4webapi|jose|nodemailer)\//;
  assert.deepEqual(
    loaded.filter((name) => costly.test(name)),
    [],
  );
});
