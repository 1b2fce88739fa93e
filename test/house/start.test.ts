import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

/** The modules, also of Node, that a program loads. */
function loadedBy(program: string): string[] {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    ${program}
    console.log(JSON.stringify([...loaded, ...process.moduleLoadList]));`;
  const text = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
  return JSON.parse(text) as string[];
}
const url = (file: string): string => JSON.stringify(new URL(`../../src/${file}`, import.meta.url).href);

// Each takes time and memory of every start. Decision 44.
test("the service loads without Node's fetch and WebSocket client, and without the libraries of single requests", () => {
  const loaded = loadedBy(`await import(${url("app.ts")});`);
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

test("a command loads without the libraries of others", () => {
  const loaded = loadedBy(
    `const { features } = await import(${url("features.ts")});
    await Promise.all(features.map(({ commands }) => commands?.()));`,
  );
  assert.ok(
    loaded.some((name) => name.endsWith("/src/type/model-command.ts")),
    "the list is complete",
  );
  assert.deepEqual(
    loaded.filter((name) => name.includes("/node_modules/") && !name.includes("/re2js/")),
    [],
  );
});
