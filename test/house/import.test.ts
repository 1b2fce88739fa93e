import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { linesByFeature, linesOnMap } from "../../scripts/sizes.ts";
import { features } from "../../src/features.ts";
import { circlesOf } from "./circle.ts";
import { kindOf, roomOf } from "./layers.ts";

/** The arrows of docs/ARCHITECTURE.md: what each kind of file may import. Every import of every file is read. */

const root = new URL("../../", import.meta.url).pathname;
const files = globSync("src/**/*.ts", { cwd: root, exclude: ["**/*.test.ts"] });

const base = ["core", "core/lib", "core/access", "core/list", "core/bytes"];
const sql = ["core/sql", "core/sql/engine", "core/sql/index", "core/sql/list"];
/** What a file of each kind may import; `rules` are the nouns of a feature, what is true of them, and their ports. */
const allowed: Record<string, string[]> = {
  "core/lib": ["core/lib"],
  core: ["core", "core/lib"],
  "core/access": ["core", "core/lib", "core/access"],
  "core/list": ["core", "core/lib", "core/access", "core/list"],
  "core/bytes": ["core", "core/lib", "core/bytes"],
  "core/bytes/disk": [...base, "core/bytes/disk"],
  // Bytes are staged on the disk before they go into a bucket.
  "core/bytes/s3": [...base, "core/bytes/disk", "core/bytes/s3"],
  "core/http": [...base, "core/http"],
  // The sweep removes bytes in the writer's transaction, so the writer's thread creates the blob store.
  "core/sql": [...base, ...sql, "core/bytes/disk", "core/bytes/s3"],
  "core/sql/engine": [...base, ...sql],
  "core/sql/index": [...base, "core/sql", "core/sql/index"],
  "core/sql/list": [...base, "core/sql", "core/sql/index", "core/sql/list"],
  rules: [...base, "rules"],
  "row-rules": [...base, "rules", "row-rules"],
  rows: [...base, "core/sql", "core/sql/index", "rules", "row-rules", "rows"],
  store: [...base, "core/bytes/disk", "core/bytes/s3", ...sql, "rules", "row-rules", "rows", "store"],
  routes: [...base, "core/http", "rules", "routes"],
  command: [...base, "cli", "top", "rules", "service", "command"],
  cli: [...base, "cli", "command", "service", "top"],
  // What a running service has of a feature, from its settings and stores.
  service: [
    ...base,
    ...sql,
    "core/bytes/disk",
    "core/bytes/s3",
    "core/http",
    "rules",
    "routes",
    "store",
    "service",
    "top",
  ],
  // What a feature is, for the list: the parts that all processes and threads have. The others are loaded by who needs them.
  feature: [...base, "core/sql", "rules", "rows", "store", "command", "service", "top"],
  // Not in the package: `api-docs/` builds the reference of them.
  docs: [...base, "core/http", "rules", "docs", "api-docs"],
};

const packages: Record<string, string[]> = {
  "core/http": ["@fastify", "find-my-way"],
  "core/bytes": ["file-type", "saxes"],
  "core/bytes/disk": ["file-type", "saxes"],
  "core/bytes/s3": ["aws4fetch", "saxes"],
  "core/list": ["re2js"],
  "core/sql/engine": ["pg"],
  "core/lib": ["lru-cache", "smol-toml", "yaml"],
  rules: ["@hyperjump", "re2js", "@sindresorhus", "any-ascii", "saxes", "markdown-it", "multilingual-stemmer"],
  store: ["markdown-it", "nodemailer", "openid-client", "parse5", "saxes", "sharp", "thumbhash", "tar-stream"],
};

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

/** A file of `src/core/sql/engine/sqlite/` is of the kind `core/sql/engine`. */
const mayImport = (file: string, target: string): boolean =>
  kindOf(file) === "top" ? kindOf(target) !== "docs" : (allowed[kindOf(file)]?.includes(kindOf(target)) ?? false);

test("a file imports only what its kind may", () => {
  assert.ok(files.length > 50);
  const wrong: string[] = [];
  for (const file of files) {
    for (const name of importsOf(file)) {
      if (name.startsWith("node:")) continue;
      if (!name.startsWith(".")) {
        const known = packages[kindOf(file)] ?? [];
        assert.ok(known.includes(name.split("/")[0] as string), `${file} imports ${name}`);
        continue;
      }
      const target = new URL(name, `file:///${file}`).pathname.slice(1);
      if (target === "package.json" || target === "src/") continue;
      if (!mayImport(file, target)) wrong.push(`${file.slice(4)} > ${target.slice(4)}`);
    }
  }
  assert.deepEqual(wrong, []);
});

/** The features in their order: a store imports only those of features before its own. */
const storeOrder = features.map(({ name }) => name);

test("stores import those of features before their own, in one declared order", () => {
  const isStored = (file: string) => ["store", "rows"].includes(kindOf(file));
  const placeOf = (file: string) => {
    const place = storeOrder.indexOf(roomOf(file));
    assert.ok(place >= 0, `${file}: its feature is not in the list`);
    return place;
  };
  const back = files.filter(isStored).flatMap((file) =>
    targetsOf(file)
      .filter((target) => isStored(target) && placeOf(target) > placeOf(file))
      .map((target) => `${file.slice(4)} > ${target.slice(4)}`),
  );
  assert.deepEqual(back, []);
});

test("nothing that is served imports a test, or what only tests need", () => {
  for (const file of files) {
    const targets = importsOf(file).map((name) => new URL(name, `file:///${file}`).pathname.slice(1));
    for (const target of targets) assert.doesNotMatch(target, /^test\/|\.test\.ts$/, file);
  }
});

test("no module is named by a fixed extension, which the package does not have: core/lib/sibling.ts knows the right one", () => {
  for (const file of files.filter((name) => name !== "src/core/lib/sibling.ts")) {
    const source = readFileSync(root + file, "utf8").replace(/^(import|export)\b[^;]*;/gms, "");
    assert.doesNotMatch(source, /(new URL|resolve|join|Worker|fork)\([^)\n]*\.[cm]?[jt]s["'`]/, file);
  }
});

/** More are not found by looking through a folder. */
const mostFlat = 48;
/** Rooms whose first file says what they are. */
const rooms = new Set([
  "src/backup",
  "src/core/list",
  "src/core/access",
  "src/image",
  "src/moving",
  "src/type",
  "src/webhook",
]);
/** One page, with a number for each feature. */
const mostWordsOfMap = 1000;

test("no folder has more files than one finds, and each room has a first file that says what it is", () => {
  const folders = Map.groupBy(files, (file) => file.slice(0, file.lastIndexOf("/")));
  for (const [folder, inside] of folders) assert.ok(inside.length <= mostFlat, `${folder}: ${inside.length} files`);
  for (const folder of [...folders.keys()].filter((name) => rooms.has(name))) {
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
    assert.match(map, new RegExp(`^\\| (?:\`[\\w/-]+\`, )?\`${folder}\`(?:, \`[\\w/-]+\`)* \\|`, "m"), folder);
});

/** What a change may add before `npm run docs` writes the table anew. */
const mostAway = 0.05;

test("the map says how many lines each feature has", () => {
  const [said, counted] = [linesOnMap(), linesByFeature()];
  assert.deepEqual([...said.keys()].sort(), [...counted.keys()].sort());
  for (const [folder, lines] of counted) {
    const away = Math.abs((said.get(folder) ?? 0) - lines);
    assert.ok(away <= lines * mostAway, `${folder} has ${lines} lines, the map says ${said.get(folder)}: npm run docs`);
  }
});

test("the service does not import the build of the reference", () => {
  const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { dependencies: object };
  for (const name of Object.keys(dependencies)) assert.doesNotMatch(name, /scalar|marked|swagger|redoc/);
  for (const file of files.filter((name) => kindOf(name) !== "docs")) {
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
  const imported = ["src/type/path.ts", "src/entry/field.ts"];
  const problems = ["problem", "problem-row", "problems"].map((name) => `src/core/${name}.ts`);
  const shared = [...imported, "src/core/path.ts", ...problems];
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

/**
 * Without what a feature names for later: its commands and its routes are loaded by what the list of features was made
 * for, and may use all of that.
 */
const neededBy = (file: string, among: string[]): string[] => {
  const source = readFileSync(root + file, "utf8");
  const isLater = (target: string) =>
    file.endsWith("/feature.ts") && source.includes(`import("./${target.slice(target.lastIndexOf("/") + 1)}")`);
  return targetsOf(file, among).filter((target) => !isLater(target));
};

test("a cycle of imports is detected", () => {
  const graph = new Map(Object.entries({ a: ["b"], b: ["c", "d"], c: ["b"], d: [] }));
  assert.deepEqual(circlesOf(graph), [["b", "c"]]);
});

for (const place of ["src/**/*.ts", "client/src/*.ts", "bench/*.ts"]) {
  test(`there are no import cycles in ${place}, even of types`, () => {
    const all = globSync(place, { cwd: root });
    assert.ok(all.length > 10);
    assert.deepEqual(circlesOf(new Map(all.map((file) => [file, neededBy(file, all)]))), []);
  });
}

test("no engine knows the other", () => {
  const other: Record<string, string> = { sqlite: "postgres", postgres: "sqlite" };
  for (const [engine, not] of Object.entries(other)) {
    const own = files.filter((file) => file.startsWith(`src/core/sql/engine/${engine}/`));
    assert.ok(own.length > 4, engine);
    for (const file of own) {
      const wrong = targetsOf(file).filter((target) => target.startsWith(`src/core/sql/engine/${not}/`));
      assert.deepEqual(wrong, [], file);
    }
  }
});

/** What is true of the nouns, whatever stores and serves them. */
const pure = files.filter((file) => ["rules", "row-rules", "core", "core/access", "core/list"].includes(kindOf(file)));

test("rules touch neither files nor sockets nor the clock of the process; they may let other work go first", () => {
  assert.ok(pure.length > 100);
  for (const file of pure) {
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
  const flat = new Set(["src/core/problems.ts"]);
  for (const file of files) {
    const lines = readFileSync(root + file, "utf8").split("\n").length;
    assert.ok(lines <= 400 || flat.has(file), `${file} has ${lines} lines`);
  }
});

/** Lists of lists that are read as rows, such as the media types of one signature. */
const mostPacked = 20;

test("what a list or an object has stands in it, not in a spread that only packs lines", () => {
  const packed = files.flatMap((file) =>
    [...readFileSync(root + file, "utf8").matchAll(/^ *\.\.\.(?:\{[^{}]*\}|\(?\[[^[\]]*\](?: as const\))?),?$/gm)].map(
      ([line]) => `${file}: ${line.trim()}`,
    ),
  );
  assert.ok(packed.length <= mostPacked, packed.join("\n"));
});

test("rules do not mention HTTP", () => {
  for (const file of pure) {
    const [word] =
      /\bAccept\b|\bLink\b|Retry-After|Set-Cookie|Cache-Control|node:http/.exec(readFileSync(root + file, "utf8")) ??
      [];
    assert.equal(word, undefined, file);
  }
});
