/**
 * `npm test [-- TEXT…]`: runs every test file that is not slow, or each whose path contains one of the texts. Slow files
 * have a comment `Slow: why`; `npm run test:slow` runs them, and the gate runs both. Files with a comment `Long: why` run
 * only with `npm run test:all`, which runs everything. A dozen files share a process (group.ts). Shared resources are
 * started once for all files: the service of the acceptance chapters, a PostgreSQL server, the bundles of the service's
 * threads, the compile cache. A file run by itself (`npx node --test FILE`) starts its own. Exit code 0: all passed.
 * The bundles: decision 44.
 */
import { globSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { type Service, startService } from "./acceptance/service.ts";
import { isLong } from "./long.ts";
import { lacksPostgres, startPostgres } from "./postgres.ts";
import { concurrency, filesOfProcess, groupsOf, prepareEnvironment, runFiles, slowFilesOfProcess } from "./runner.ts";

const root = join(import.meta.dirname, "..");

/** The slowest files. They start first, each in its own process, so that none of them is the last one running. */
const longest = `
  test/ports/postgres test/ports/list-plan test/acceptance/image test/acceptance/image-cache test/ports/s3 test/ports/prose-thread
  test/http/s3 test/ports/type test/ports/sqlite test/ports/trash test/acceptance/folder test/acceptance/upload-kind
  src/page/openapi-routes test/ports/text-nodes src/type/command test/cli/cli test/acceptance/upload src/core/http/spool
  src/upload/routes test/admin/manage test/admin/look test/admin/person test/admin/form test/admin/presence
  test/admin/write test/admin/unsaved test/admin/look-dialog test/admin/type test/admin/release test/admin/reference
  test/admin/session test/admin/desk test/admin/image test/admin/picker test/admin/list src/page/docs-routes-pages
  src/cli/workers src/backup/backup-load src/core/http/send test/admin/entry test/admin/file
`
  .trim()
  .split(/\s+/)
  .map((name) => `${name}.test.ts`);

const words = process.argv.slice(2);
const texts = words.filter((word) => word !== "--slow");
const tierOf = (file: string): string | undefined =>
  /^\/\/ (Slow|Long): /.exec(readFileSync(join(root, file), "utf8"))?.[1];
const wantedTier = words.includes("--slow") ? "Slow" : undefined;
const isWanted = (file: string): boolean => {
  if (texts.length > 0) return texts.some((text) => file.includes(text));
  return isLong || tierOf(file) === wantedTier;
};
const all = globSync("{src,test}/**/*.test.ts", { cwd: root });
const files = all.filter(isWanted).sort();
if (files.length === 0) {
  console.error(`no test file matches ${texts.join(", ")}`);
  process.exit(2);
}
/** True for a chapter of the acceptance suite that shares the service: all except one, which says why. */
const isChapter = (file: string): boolean => file.includes(`${sep}acceptance${sep}`) && !file.endsWith("storm.test.ts");
const isLongest = (file: string): boolean => longest.includes(relative(root, file));
const paths = files.map((file) => join(root, file));
const groups = [paths.filter(isChapter), paths.filter((file) => !isChapter(file))].flatMap((some) =>
  groupsOf(some, isLongest, wantedTier === "Slow" ? slowFilesOfProcess : filesOfProcess),
);
const rank = ([file = ""]: string[]): number =>
  isLongest(file) ? longest.indexOf(relative(root, file)) : longest.length;
const left = all.length - files.length;
if (words.length === 0 && left > 0) console.log(`${left} files are skipped: npm run test:slow, npm run test:all`);
let service: Service | undefined;
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));
try {
  await prepareEnvironment();
  // It ends with this process.
  if (!lacksPostgres()) process.env.TEST_POSTGRES_URL ??= (await startPostgres()).url;
  if (!process.env.OCTAVO_TEST_URL && files.some(isChapter)) service = await startService();
  const shared: Record<string, string> = service
    ? { OCTAVO_TEST_URL: service.url, OCTAVO_TEST_TOKENS: JSON.stringify(service.tokens) }
    : {};
  const held = await runFiles(
    groups.sort((a, b) => rank(a) - rank(b)),
    {
      concurrency,
      envOf: (file) => (isChapter(file) ? shared : {}),
    },
  );
  process.exitCode = held ? 0 : 1;
} finally {
  await service?.stop();
}
