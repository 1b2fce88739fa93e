/**
 * Bundles the modules that the service starts in threads and processes of their own, each with all that it imports: a
 * thread of the store loads two hundred modules otherwise, a quarter of a second each time. `npm run package` writes the
 * bundles over the compiled modules, so that `core/lib/sibling.ts` names them there; a run of the tests has them in a folder of
 * the cache (test/bundled.mjs).
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build, type OutputFile, type Plugin } from "esbuild";

const root = join(import.meta.dirname, "..");
/** Below `src/`, without extension: what `siblingFile` names. test/cli/every-worker.ts asks each of them. */
export const threads = [
  "threads/sqlite-writer",
  "threads/sqlite-reader",
  "core/sql/engine/sqlite/checker",
  "threads/postgres-scanner",
  "render/prose/worker",
  "image/sharp/worker",
  "image/sharp/pipeline",
];

/**
 * A thread needs the nouns of all features at once, and none of what a feature has for a service or a command line: its
 * nouns are bundled with it, where each would be a chunk otherwise, and the rest is left out.
 */
const nounsOnly: Plugin = {
  name: "nouns only",
  setup: ({ onLoad, onResolve }) => {
    onLoad({ filter: /\/src\/[\w-]+\/feature\.ts$/ }, ({ path }) => {
      const imports: string[] = [];
      const contents = readFileSync(path, "utf8").replace(
        /\(await import\("(\.\/[\w-]*store\.ts)"\)\)\.(\w+Noun)/g,
        (_, file, noun) => {
          imports.push(`import { ${noun} as ${noun}Now } from "${file}";\n`);
          return `${noun}Now`;
        },
      );
      return { contents: imports.join("") + contents, loader: "ts" };
    });
    onResolve({ filter: /^\.\/(?:[\w-]+-)?(?:service|command)\.ts$/ }, ({ kind, importer, path }) =>
      kind === "dynamic-import" && importer.endsWith("/feature.ts") ? { path, external: true } : undefined,
    );
  },
};

/** The bundles, with the chunks that they share; modules that are imported when they are needed stay apart. */
async function bundle(folder: string): Promise<OutputFile[]> {
  const { outputFiles } = await build({
    entryPoints: threads.map((name) => join(root, "src", `${name}.ts`)),
    outbase: join(root, "src"),
    outdir: folder,
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    packages: "bundle",
    plugins: [nounsOnly],
    // Their binaries are found from their own folders.
    external: ["sharp", "multilingual-stemmer"],
    // What packages in CommonJS need of Node.
    banner: {
      js: 'import { createRequire as _createRequire } from "node:module"; const require = _createRequire(import.meta.url);',
    },
    logLevel: "warning",
    write: false,
  });
  return outputFiles;
}

const writeAll = (files: readonly OutputFile[]): void => {
  for (const { path, contents } of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
};

/** Writes the bundles over the compiled modules in the folder. */
export async function bundleInto(folder: string): Promise<void> {
  writeAll(await bundle(folder));
}

/** The folder with the bundles of the present sources, below `cache`, named by what they are. Safe beside other runs. */
export async function cachedBundles(cache: string): Promise<string> {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "new-"));
  const files = await bundle(folder);
  const hash = createHash("sha256");
  for (const { path, hash: contents } of files) hash.update(`${relative(folder, path)} ${contents}\n`);
  const target = join(cache, hash.digest("hex").slice(0, 16));
  if (existsSync(target)) {
    rmSync(folder, { recursive: true });
    return target;
  }
  writeAll(files);
  try {
    renameSync(folder, target);
  } catch {
    // Another run was first.
    rmSync(folder, { recursive: true });
  }
  return target;
}
