// Slow: it runs compilers.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { check, projectWithClient, strict } from "./project.ts";

const root = new URL("../../", import.meta.url).pathname;
const client = join(root, "client");
const maxBytes = 8397;
const description = JSON.parse(readFileSync(join(client, "package.json"), "utf8"));

const project = projectWithClient();

test("the whole client, minified and gzipped, is smaller than 8.2 KB", async (t) => {
  const entrances = ["./client.ts", "./sign.ts", "./verify.ts"].map((file) => `export * from "${file}";`).join("");
  const { outputFiles } = await build({
    stdin: { contents: entrances, resolveDir: join(client, "src"), loader: "ts" },
    // Bundlers put what is loaded when it is needed into a file of its own: the next test has its size.
    external: ["./resumable.ts"],
    ...{ bundle: true, minify: true, format: "esm", target: "es2022", write: false },
  });
  const bytes = gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
  t.diagnostic(`${bytes} bytes`);
  assert.ok(bytes > 1000 && bytes < maxBytes, `${bytes} bytes`);
});

// image() has a bound of its own, in picture.test.ts: a site that uses it needs nothing else.
test("a mirror costs a client at most 1 KB, minified and gzipped", async (t) => {
  // Its module alone, with what `changes` needs; the rest is the client's anyway.
  const entryPoints = [join(client, "src/change.ts")];
  const { outputFiles } = await build({ entryPoints, minify: true, format: "esm", target: "es2022", write: false });
  const bytes = gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
  t.diagnostic(`${bytes} bytes`);
  assert.ok(bytes > 300 && bytes <= 1024, `${bytes} bytes`);
});

test("uploads that go on cost who uses them at most 2.5 KB, minified and gzipped", async (t) => {
  const entryPoints = [join(client, "src/resumable.ts")];
  const { outputFiles } = await build({ entryPoints, minify: true, format: "esm", target: "es2022", write: false });
  const bytes = gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
  t.diagnostic(`${bytes} bytes`);
  assert.ok(bytes > 1000 && bytes <= 2560, `${bytes} bytes`);
});

test("the client has no dependencies", () => {
  assert.equal(description.dependencies, undefined);
  assert.equal(description.peerDependencies, undefined);
  for (const file of globSync("src/*.ts", { cwd: client })) {
    for (const [, name = ""] of readFileSync(join(client, file), "utf8").matchAll(/from "([^"]+)"/g)) {
      assert.match(name, /^\.\/[\w-]+\.ts$/, file);
    }
  }
});

test("the build has no TypeScript sources, and Node loads all entry points", () => {
  const script = `
    import * as client from "@octavo/client";
    import * as image from "@octavo/client/image";
    import * as loader from "@octavo/client/loader";
    import * as resumable from "@octavo/client/resumable";
    import * as sign from "@octavo/client/sign";
    import * as verify from "@octavo/client/verify";
    console.log(JSON.stringify([client, image, loader, resumable, sign, verify].map((each) => Object.keys(each))));`;
  writeFileSync(join(project, "run.js"), script);
  const out = execFileSync(process.execPath, ["--no-strip-types", "run.js"], { cwd: project, encoding: "utf8" });
  const values = [
    "OctavoConnectionError",
    "OctavoProblem",
    "condition",
    "createClient",
    "etagOf",
    "exactJson",
    "localesOf",
    "where",
    "whereOf",
  ];
  assert.deepEqual(JSON.parse(out), [
    values,
    ["image"],
    ["astroService", "nextLoader", "nuxtImage", "unpicTransformer"],
    ["ResumableUpload", "unfinishedUploads"],
    ["signUrl"],
    ["WebhookInvalid", "verifyWebhook"],
  ]);
  for (const file of globSync("node_modules/@octavo/client/dist/*.js", { cwd: project })) {
    assert.doesNotMatch(readFileSync(join(project, file), "utf8"), /from "[^"]+\.ts"/, file);
  }
});

test("a strict project resolves its types, with and without the DOM library", () => {
  const use = `
    import { createClient, type Entry } from "@octavo/client";
    import { image, type PublicImage } from "@octavo/client/image";
    import { nextLoader } from "@octavo/client/loader";
    import { ResumableUpload } from "@octavo/client/resumable";
    import { signUrl } from "@octavo/client/sign";
    import { verifyWebhook, type WebhookPayload } from "@octavo/client/verify";
    type Movie = { title: string };
    export const movie: Promise<Entry<Movie>> = createClient({ url: "" }).entries.fetch<Movie>("a");
    export const shown: Promise<PublicImage> = createClient({ url: "" }).files.fetch("a", { preview: true }).then((file) => image(file, { preset: "b" }));
    export const loaded: string = nextLoader({ url: "", preset: "b", width: 9 })({ src: "a", width: 9 });
    export const file: Promise<{ filename: string }> = new ResumableUpload({ url: "" }, "a", new Blob([])).send();
    export const url: Promise<string> = signUrl("", { key: "" });
    export const sent: Promise<WebhookPayload> = verifyWebhook(new Headers(), "", "whsec_AAAA");
    export const nodes: Promise<WebhookPayload> = verifyWebhook({ "set-cookie": ["a"] }, new Uint8Array(), ["whsec_AAAA"]);`;
  writeFileSync(join(project, "use.ts"), use);
  assert.equal(check(project, ...strict, "use.ts", "--lib", "es2023,dom,dom.iterable", "--types", ""), "");
  assert.equal(check(project, ...strict, "use.ts", "--lib", "es2023", "--types", "node", "--skipLibCheck"), "");
});
