import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

/** The arrows of docs/ARCHITECTURE.md: what each room may import. Every import of every file is read. */

const root = new URL("../../", import.meta.url).pathname;
const files = globSync("src/**/*.ts", { cwd: root });

const allowed: Record<string, string[]> = {
  octavo: ["cli", "main"],
  main: ["cli"],
  cli: [
    ...["cli", "app", "companions", "content-routes", "demo", "doctor", "domain", "health-probe", "lib", "settings"],
    ...["stores", "webhooks"],
  ],
  demo: ["domain", "lib", "demo-site"],
  "demo-site": [],
  app: [
    ...["adapters", "chores", "companions", "content-routes", "http", "domain", "lib", "metrics", "pictures", "remote"],
    ...["schedule", "settings", "sign-in-links", "stats", "stores", "webhooks"],
  ],
  "content-routes": ["adapters", "http", "domain", "settings", "stores"],
  chores: ["settings", "stores"],
  doctor: ["adapters", "domain", "health-probe", "lib", "settings", "stores"],
  "health-probe": ["lib", "settings"],
  metrics: ["http", "lib", "stores"],
  pictures: ["adapters", "domain", "http", "settings", "stores"],
  companions: ["http", "settings"],
  schedule: ["stores"],
  "sign-in-links": ["domain", "lib"],
  remote: ["adapters", "settings"],
  webhooks: ["adapters", "domain", "http", "settings", "stores"],
  stats: ["http", "domain", "stores"],
  stores: ["adapters", "domain", "lib", "settings"],
  settings: ["domain", "lib"],
  http: ["http", "domain", "lib"],
  adapters: ["domain", "lib"],
  domain: ["domain", "lib"],
  lib: ["lib"],
};
/** What an adapter may import besides itself. Bytes are staged on the disk before they go into a bucket or a backup. */
const below: Record<string, string[]> = { s3: ["disk"], tar: ["disk"] };
/** The sweep removes bytes in the writer's transaction, so the writer's thread creates the blob store. */
const remover = "src/adapters/sql/blob-remover.ts";
const packages: Record<string, string[]> = {
  http: ["@fastify", "find-my-way"],
  domain: ["@hyperjump", "re2js", "@sindresorhus", "any-ascii"],
  adapters: [
    ...[
      "aws4fetch",
      "file-type",
      "markdown-it",
      "nodemailer",
      "openid-client",
      "parse5",
      "pg",
      "saxes",
      "sharp",
      "thumbhash",
    ],
    "tar-stream",
  ],
  lib: ["lru-cache", "smol-toml", "yaml"],
};

/** The room of a file: its folder below src/, or its own name at the top. */
const roomOf = (file: string): string => (file.split("/")[1] as string).replace(/\.ts$/, "");
/** The technology of an adapter's file. */
const adapterOf = (file: string): string => file.split("/")[2] as string;

function mayImport(file: string, target: string): boolean {
  const [room, other] = [roomOf(file), roomOf(target)];
  if (room !== "adapters" || other !== "adapters") return allowed[room]?.includes(other) ?? false;
  const [own, beside] = [adapterOf(file), adapterOf(target)];
  return own === beside || below[own]?.includes(beside) || file === remover;
}

const importPatterns = [
  /^(?:import|export)\s[^"';]*?from\s+"([^"]+)"/gm,
  /^import\s+"([^"]+)"/gm,
  /import\("([^"]+)"\)/g,
  /new URL\("(\.[^"]+\.ts)"/g,
];

function importsOf(file: string): string[] {
  const source = readFileSync(root + file, "utf8");
  return importPatterns.flatMap((pattern) => [...source.matchAll(pattern)].map((match) => match[1] as string));
}

test("every folder imports only what it may", () => {
  assert.ok(files.length > 50);
  for (const file of files) {
    const room = roomOf(file);
    for (const name of importsOf(file)) {
      if (name.startsWith("node:")) continue;
      if (!name.startsWith(".")) {
        assert.ok(packages[room]?.includes(name.split("/")[0] as string), `${file} imports ${name}`);
        continue;
      }
      const target = new URL(name, `file:///${file}`).pathname.slice(1);
      if (target === "package.json" || target === "migrations/") continue;
      assert.ok(mayImport(file, target), `${file} imports ${name}`);
    }
  }
});

test("no module is named by a fixed extension, which the package does not have: lib/sibling.ts knows the right one", () => {
  for (const file of files.filter((name) => name !== "src/lib/sibling.ts")) {
    const source = readFileSync(root + file, "utf8").replace(/^(import|export)\b[^;]*;/gms, "");
    assert.doesNotMatch(source, /(new URL|resolve|join|Worker|fork)\([^)\n]*\.[cm]?[jt]s["'`]/, file);
  }
});

/** More are not found by looking through a folder. */
const mostFlat = 45;
/** One page. */
const mostWordsOfMap = 900;

test("no folder has more files than one finds, and each room of the domain has a first file that says what it is", () => {
  const folders = Map.groupBy(files, (file) => file.slice(0, file.lastIndexOf("/")));
  for (const [folder, inside] of folders) assert.ok(inside.length <= mostFlat, `${folder}: ${inside.length} files`);
  for (const folder of [...folders.keys()].filter((name) => name.startsWith("src/domain/"))) {
    const first = `${folder}/${folder.split("/").at(-1)}.ts`;
    assert.match(readFileSync(root + first, "utf8"), /^(?:(?:import|export (?:type )?\{) [^;]*;\n|\n)*\/\*\*/, first);
  }
});

test("the map is one page, and each folder has its line", () => {
  const map = readFileSync(`${root}docs/ARCHITECTURE.md`, "utf8");
  const words = map.split(/\s+/).length;
  assert.ok(words <= mostWordsOfMap, `${words} words`);
  const folders = new Set(files.map((file) => file.slice(0, file.lastIndexOf("/") + 1)));
  for (const folder of folders)
    assert.ok(map.includes(`| \`${folder}\` |`), `docs/ARCHITECTURE.md has no line for ${folder}`);
});

test("the service does not import the build of the reference", () => {
  const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { dependencies: object };
  for (const name of Object.keys(dependencies)) assert.doesNotMatch(name, /scalar|marked|swagger|redoc/);
  for (const file of files) {
    assert.ok(!importsOf(file).some((name) => name.includes("api-docs/") && name.endsWith(".ts")), file);
    assert.doesNotMatch(file, /example|markdown|introduction/);
  }
});

test("the admin page has no HTTP client of its own", () => {
  for (const file of globSync("admin/src/**/*.{ts,tsx}", { cwd: root })) {
    assert.doesNotMatch(
      readFileSync(root + file, "utf8"),
      /(?<!\.)\bfetch\(|XMLHttpRequest|sendByXhr|JSON\.rawJSON/,
      file,
    );
  }
});

test("of the service, the admin page imports how patterns of types are matched and the fields of entries, without Node", () => {
  const imported = ["src/domain/type/path.ts", "src/domain/entry-field.ts"];
  const shared = [...imported, "src/domain/path.ts", "src/domain/problem.ts"];
  for (const file of globSync("admin/src/**/*.{ts,tsx}", { cwd: root })) {
    const targets = importsOf(file).map((name) => new URL(name, `file:///${file}`).pathname.slice(1));
    for (const target of targets.filter((name) => name.startsWith("src/")))
      assert.ok(imported.includes(target), `${file} imports ${target}`);
  }
  for (const file of shared) {
    assert.deepEqual(
      targetsOf(file).filter((target) => !shared.includes(target)),
      [],
      file,
    );
    assert.doesNotMatch(readFileSync(root + file, "utf8"), /\b(?:Buffer|process|require)[.(]/, file);
  }
});

/** The files among these that the file imports, types too. */
const targetsOf = (file: string, among = files): string[] =>
  importsOf(file)
    .filter((name) => name.startsWith("."))
    .map((name) => new URL(name, `file:///${file}`).pathname.slice(1))
    .filter((target) => among.includes(target));

/** Cycles in the graph, each as a list of its files. */
function circlesOf(graph: ReadonlyMap<string, string[]>): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, way: string[]): void => {
    const start = way.indexOf(file);
    if (start >= 0) circles.push(way.slice(start));
    if (start >= 0 || done.has(file)) return;
    for (const target of graph.get(file) ?? []) visit(target, [...way, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return circles;
}

test("a cycle of imports is detected", () => {
  const graph = new Map(Object.entries({ a: ["b"], b: ["c", "d"], c: ["b"], d: [] }));
  assert.deepEqual(circlesOf(graph), [["b", "c"]]);
});

for (const place of ["src/**/*.ts", "client/src/*.ts", "bench/*.ts"]) {
  test(`there are no import cycles in ${place}, even of types`, () => {
    const all = globSync(place, { cwd: root });
    assert.ok(all.length > 10);
    assert.deepEqual(circlesOf(new Map(all.map((file) => [file, targetsOf(file, all)]))), []);
  });
}

/** Forbidden imports within src/adapters/sql/: engines import the nouns, and neither nouns nor the index import an engine. */
const notFrom: Record<string, string[]> = {
  "engine/sqlite/": ["engine/postgres/"],
  "engine/postgres/": ["engine/sqlite/"],
  "noun/": ["engine/"],
  "index/": ["engine/", "noun/"],
};

test("nouns and the field index know no engine, and no engine knows the other", () => {
  for (const [place, others] of Object.entries(notFrom)) {
    const own = files.filter((file) => file.startsWith(`src/adapters/sql/${place}`));
    assert.ok(own.length > 4, place);
    for (const file of own) {
      const wrong = targetsOf(file).filter((target) =>
        others.some((other) => target.startsWith(`src/adapters/sql/${other}`)),
      );
      assert.deepEqual(wrong, [], file);
    }
  }
});

test("the domain touches neither files nor sockets nor the clock of the process; it may let other work go first", () => {
  for (const file of files.filter((name) => name.startsWith("src/domain/"))) {
    const builtIn = importsOf(file).filter((name) => name.startsWith("node:"));
    for (const name of builtIn)
      assert.ok(["node:async_hooks", "node:crypto", "node:timers/promises"].includes(name), `${file} imports ${name}`);
    assert.ok(!/Date\.now|new Date\(\)/.test(readFileSync(root + file, "utf8")), `${file} reads the clock`);
  }
});

test("nothing below the command line reads the environment", () => {
  for (const file of files) {
    if (file.startsWith("src/cli/") || file === "src/main.ts") continue;
    assert.ok(!readFileSync(root + file, "utf8").includes("process.env"), file);
  }
});

test("a command has the variables and streams of its call; only a service has those of its process", () => {
  const ofProcess = new Set(["src/cli/runtime.ts", "src/cli/serve.ts", "src/cli/workers.ts"]);
  for (const file of files.filter((name) => name.startsWith("src/cli/") && !ofProcess.has(name))) {
    assert.doesNotMatch(readFileSync(root + file, "utf8"), /process\.(argv|env|cwd|std|exit)/, file);
  }
});

test("every export is used by another file", () => {
  const all = globSync("{src,api-docs,test,bench,scripts,admin/src,client/src}/**/*.{ts,tsx}", { cwd: root });
  const words = new Map(all.map((file) => [file, new Set(readFileSync(root + file, "utf8").match(/\w+/g))]));
  const isUsed = (name: string, file: string) => all.some((other) => other !== file && words.get(other)?.has(name));
  for (const file of all.filter((name) => !name.startsWith("client/"))) {
    const values = /^export (?:async )?(?:const|function\*?|class) (\w+)/gm;
    for (const [, name] of readFileSync(root + file, "utf8").matchAll(values)) {
      assert.ok(isUsed(name as string, file), `${file} exports ${name}`);
    }
  }
});

test("exports have names", () => {
  for (const file of files) assert.ok(!/export default/.test(readFileSync(root + file, "utf8")), file);
});

test("no file exceeds 400 lines, except flat lists", () => {
  const flat = new Set(["src/domain/problem.ts", "src/settings.ts"]);
  for (const file of files) {
    const lines = readFileSync(root + file, "utf8").split("\n").length;
    assert.ok(lines <= 400 || flat.has(file), `${file} has ${lines} lines`);
  }
});

test("the domain does not mention HTTP", () => {
  for (const file of files.filter((name) => roomOf(name) === "domain")) {
    const [word] =
      /\bAccept\b|\bLink\b|Retry-After|Set-Cookie|Cache-Control|node:http/.exec(readFileSync(root + file, "utf8")) ??
      [];
    assert.equal(word, undefined, file);
  }
});
