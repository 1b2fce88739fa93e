/**
 * `npm test [-- TEXT…]`: every file of tests, or those whose paths hold one of the texts. What many files need is there
 * once for all: the service of the acceptance chapters, a PostgreSQL server, the compiled sources. A file run by itself
 * (`npx node --test FILE`) starts its own. Exit code 0: all held.
 */
import { globSync } from "node:fs";
import { join, sep } from "node:path";
import { type Service, startService } from "./acceptance/service.ts";
import { lacksPostgres, startPostgres } from "./postgres.ts";
import { compileCache, concurrency, runFiles } from "./runner.ts";

const root = join(import.meta.dirname, "..");
process.env.NODE_COMPILE_CACHE ??= compileCache;

/** The files that take longest, which begin first, so that none of them is the last one running. */
const longest: string[] = [];

const texts = process.argv.slice(2);
const files = globSync("test/**/*.test.ts", { cwd: root })
  .filter((file) => texts.length === 0 || texts.some((text) => file.includes(text)))
  .sort();
if (files.length === 0) {
  console.error(`no file of tests is named ${texts.join(", ")}`);
  process.exit(2);
}
const rank = (file: string): number => (longest.includes(file) ? longest.indexOf(file) : longest.length);
const ordered = files.sort((a, b) => rank(a) - rank(b));

/** A chapter of the acceptance suite that shares its service with the others: all but one, which says why. */
const isChapter = (file: string): boolean => file.includes(`${sep}acceptance${sep}`) && !file.endsWith("storm.test.ts");
let service: Service | undefined;
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));
try {
  // It ends with this process.
  if (!lacksPostgres()) process.env.TEST_POSTGRES_URL ??= (await startPostgres()).url;
  if (!process.env.OCTAVO_TEST_URL && files.some(isChapter)) service = await startService();
  const shared: Record<string, string> = service
    ? { OCTAVO_TEST_URL: service.url, OCTAVO_TEST_TOKENS: JSON.stringify(service.tokens) }
    : {};
  const held = await runFiles(
    ordered.map((file) => join(root, file)),
    { concurrency, envOf: (file) => (isChapter(file) ? shared : {}) },
  );
  process.exitCode = held ? 0 : 1;
} finally {
  await service?.stop();
}
