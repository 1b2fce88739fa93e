/**
 * Loaded first by each process of a run of the tests (NODE_OPTIONS): threads and processes of the service start from the
 * bundles in the folder OCTAVO_TEST_THREADS, as those of the package do. Plain JavaScript, also for npm's older Node,
 * which has no such hooks and starts no threads of the service.
 */
import { existsSync } from "node:fs";
import module from "node:module";
import { pathToFileURL } from "node:url";

const sources = new URL("../src/", import.meta.url).href;
const bundles = process.env.OCTAVO_TEST_THREADS;

module.registerHooks?.({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    // What a process or thread starts with has no parent.
    if (context.parentURL !== undefined || !found.url.startsWith(sources)) return found;
    const file = `${bundles}/${found.url.slice(sources.length).replace(/\.ts$/, ".js")}`;
    return existsSync(file) ? { url: pathToFileURL(file).href, format: "module", shortCircuit: true } : found;
  },
});
