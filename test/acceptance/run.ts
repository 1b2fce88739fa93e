/**
 * Runs the acceptance suite: `npm run acceptance -- [--url URL --tokens FILE | --store cloud] [chapter…]`. Without a URL
 * it starts one service on an empty store for all chapters; store.ts says which stores there are. Tokens come from a
 * file or from OCTAVO_TEST_TOKENS, never from the command line, which every user of the machine can read. Exit code 0:
 * all tests passed.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { concurrency, groupsOf, prepareEnvironment, runFiles } from "../runner.ts";
import { send } from "./client.ts";
import { type Service, startService } from "./service.ts";
import { type StoreName, stores } from "./store.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: "string" },
    tokens: { type: "string" },
    only: { type: "string" },
    store: { type: "string", default: "disk" },
  },
});

const folder = import.meta.dirname;
const chapters = readdirSync(folder)
  .filter((name) => name.endsWith(".test.ts"))
  .filter((name) => positionals.length === 0 || positionals.includes(basename(name, ".test.ts")))
  .map((name) => join(folder, name));

const url = values.url ?? process.env.OCTAVO_TEST_URL;
const given = values.tokens ? readFileSync(values.tokens, "utf8") : process.env.OCTAVO_TEST_TOKENS;
if (url && !given) {
  console.error(
    '--url needs the tokens: --tokens FILE or OCTAVO_TEST_TOKENS, {"delivery","management","images","access"}',
  );
  process.exit(2);
}
if (chapters.length === 0) {
  console.error(`no such chapter: ${positionals.join(", ")}`);
  process.exit(2);
}

if (!Object.hasOwn(stores, values.store)) {
  console.error(`no such store: ${values.store}; there are ${Object.keys(stores).join(", ")}`);
  process.exit(2);
}

/** Fills types, history, trash, working copies and translations: the chapters of part one must give the same replies beside them. Contract, part two. */
async function usePartTwo({ url, tokens }: Service): Promise<void> {
  const pair = { token: tokens.management, access_token: tokens.access };
  const write = async (method: string, path: string, args: object) => {
    const reply = await send(url, { method, path, json: { ...pair, ...args } });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.text}`);
  };
  const schema = { required: ["title"], properties: { title: { "x-octavo-localized": true } } };
  await write("PUT", "/api/types", { id: "part-two", paths: ["part-two/**"], schema });
  for (const id of ["part-two", "part-two/a", "part-two/a/b"]) {
    await write("POST", "/api/entries", { id, data: { title: "first" } });
    await write("PATCH", "/api/entries", { id, data: { title: "second" } });
    await write("PATCH", "/api/entries/staged", { id, data: { title: "third" } });
    await write("PATCH", "/api/entries/translations", { id, locale: "de", data: { title: "zwei" }, name: "zwei" });
    await write("PATCH", "/api/entries/staged", { id, locale: "fr", data: { title: "trois" } });
  }
  await write("DELETE", "/api/entries", { id: "part-two" });
  await write("POST", "/api/folders", { path: "part-two/folder" });
  await write("DELETE", "/api/folders", { path: "part-two" });
  for (const value of [1, 2]) await write("PUT", "/api/registry", { id: "part_two", value });
  await write("DELETE", "/api/registry", { id: "part_two" });
}

await prepareEnvironment();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const store = url ? undefined : await stores[values.store as StoreName]();
let own: Service | undefined;
try {
  own = store && (await startService(store.env));
  if (own) await usePartTwo(own);
  const env = {
    ...(store?.hasUploadsTree === false ? { OCTAVO_TEST_UPLOADS_TREE: "off" } : {}),
    OCTAVO_TEST_URL: url ?? own?.url ?? "",
    OCTAVO_TEST_TOKENS: given ?? JSON.stringify(own?.tokens),
  };
  const groups = groupsOf(chapters, () => false);
  const held = await runFiles(groups, { concurrency, only: values.only, envOf: () => env });
  process.exitCode = held ? 0 : 1;
} finally {
  await own?.stop();
  await store?.stop();
}
