import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";

/** How tests are written (CONTRIBUTING, Tests): what makes them slow, or fail by chance, stands in few listed places. */

const root = new URL("../../", import.meta.url).pathname;
const own = "test/house/test.test.ts";
const files = globSync(["test/**/*.ts", "src/**/*.test.ts"], { cwd: root, exclude: ["test/frameworks/**"] }).filter(
  (file) => file !== own,
);
const textOf = (file: string): string => readFileSync(join(root, file), "utf8");
const having = (pattern: RegExp): string[] => files.filter((file) => pattern.test(textOf(file))).sort();

/** Files by the reason why they may. A reason that no file needs any more is a fault, too. */
type Listed = Readonly<Record<string, readonly string[]>>;

function assertListed(found: readonly string[], listed: Listed): void {
  const allowed = Object.values(listed).flat();
  assert.deepEqual(
    found.filter((file) => !allowed.includes(file)),
    [],
    "not listed",
  );
  assert.deepEqual(
    allowed.filter((file) => !found.includes(file)),
    [],
    "listed, and not so any more",
  );
}

/** Waits for a fixed time. A loop that looks again between short waits, on one line, is none. */
const sleeps: Listed = {
  "the second of the clock must be another: times of the API are in seconds": [
    "test/acceptance/conditional.test.ts",
    "test/acceptance/entry-tree.test.ts",
    "test/acceptance/entry-update.test.ts",
    "test/acceptance/file-upload.test.ts",
    "test/acceptance/file.test.ts",
    "test/acceptance/history.test.ts",
    "test/acceptance/staged.test.ts",
    "test/acceptance/token-life.test.ts",
    "test/acceptance/upload.test.ts",
    "test/acceptance/visibility.test.ts",
  ],
  "a client that is slow, or waits before it comes again, is what it tests": [
    "test/acceptance/upload-form.test.ts",
    "src/core/http/limit.test.ts",
    "src/core/http/receive.test.ts",
    "src/core/http/send-memory.test.ts",
    "src/core/http/send.test.ts",
    "src/core/http/spool.test.ts",
    "src/upload/routes.test.ts",
    "test/kill/nodes.test.ts",
    "test/kill/service.ts",
    "test/kill/transfer.test.ts",
    "test/kill/upgrade.test.ts",
    "test/kill/webhook.test.ts",
  ],
  "another process is looked at between the waits of a loop": [
    "test/cli/clock.test.ts",
    "test/cli/damage.test.ts",
    "src/cli/serve.test.ts",
    "src/cli/workers.test.ts",
    "src/health/routes.test.ts",
    "test/ports/postgres.test.ts",
    "test/ports/prose-thread.test.ts",
    "test/ports/text-nodes.test.ts",
    "test/ports/token-store.suite.ts",
  ],
  "it is what the others wait with": [
    "test/acceptance/wire.ts",
    "test/acceptance/world.ts",
    "test/harness.ts",
    "test/postgres.ts",
  ],
};

test("no test waits for a fixed time, outside of the listed files", () => {
  const waits = /^(?!.*\b(?:while|for) ?\().*(?:\bsleep\(|setTimeout\(resolve, \d|setTimeout\(resolve, \w)/m;
  assertListed(having(waits), sleeps);
  assert.deepEqual(
    having(/waitForTimeout/).filter((file) => file !== "test/house/look.test.ts"),
    [],
  );
});

test("chance has a seed", () => {
  assert.deepEqual(
    having(/Math\.random\b/).filter((file) => file !== "test/house/look.test.ts"),
    ["test/random.ts"],
  );
});

/** Start processes by themselves; the others run commands in this one, or call what is listed here. */
const processes: Listed = {
  "what the runner, the servers and the services of the tests start with": [
    "test/acceptance/service.ts",
    "test/cli/octavo.ts",
    "test/postgres.ts",
    "test/runner.ts",
    "test/small-disk.ts",
    "test/varnish.ts",
  ],
  "the process is what it tests: signals, kills, terminals, memory, flags of Node": [
    "test/cli/damage.test.ts",
    "src/health/doctor-command.test.ts",
    "src/agent/mcp-command.test.ts",
    "test/cli/process.test.ts",
    "test/cli/terminal.test.ts",
    "src/cli/workers.test.ts",
    "src/core/http/log.test.ts",
    "test/house/runner.test.ts",
    "test/kill/backup.test.ts",
    "test/kill/nodes.test.ts",
    "test/kill/service.ts",
    "test/kill/transfer.test.ts",
    "test/kill/upgrade.test.ts",
    "test/ports/pool.test.ts",
    "test/ports/sqlite-pragma.test.ts",
    "test/ports/sqlite-version.test.ts",
  ],
  "a program of others judges: npm, a compiler, git, tar, a proxy, a shell": [
    "test/admin/command.test.ts",
    "src/upload/uploads-command-adopt.test.ts",
    "test/cli/image.ts",
    "src/moving/import-command.test.ts",
    "test/cli/package.test.ts",
    "test/client/example.test.ts",
    "test/client/generator.test.ts",
    "test/client/guide.test.ts",
    "test/client/package.test.ts",
    "test/client/project.ts",
    "test/client/schema.test.ts",
    "src/type/declaration.test.ts",
    "test/house/deploy.test.ts",
    "test/house/label.test.ts",
    "test/house/own-node.test.ts",
    "test/house/own-settings.test.ts",
    "test/house/server.test.ts",
    "test/house/start.test.ts",
    "src/health/metrics-routes.test.ts",
    "src/health/routes.test.ts",
    "src/translation/routes-guide.test.ts",
    "test/http/sample.test.ts",
    "test/ports/s3.test.ts",
    "test/ports/unknown-uploads.test.ts",
  ],
};

test("no test starts a process, outside of the listed files", () => {
  assertListed(having(/from "node:(?:child_process|cluster)"/), processes);
});

test("a browser is started in one place, for the files that show pages", () => {
  assert.deepEqual(having(/chromium\.launch\(/), ["test/chromium.ts"]);
  const users = ["test/admin/browser.ts", "test/admin/issuer.test.ts", "test/client/browser.ts"];
  assertListed(having(/\blaunch\b.* from "[./]+(?:test\/)?chromium\.ts"/), { "they show pages": users });
});

/** Rooms of test/ whose tests are of more than one room of src, or of something else. */
const rooms = "acceptance admin api-docs client golden house kill ports properties".split(" ");
/** Tests outside of them, and why they stand beside no file of src. */
const ofTheWhole: Listed = {
  "every route, the sample site on every route": [
    "test/http/example.test.ts",
    "test/http/routes.test.ts",
    "test/http/sample.test.ts",
  ],
  "several features, over HTTP": [
    "test/http/changed-bytes.test.ts",
    "test/http/encoded-path.test.ts",
    "test/http/nodes.test.ts",
    "test/http/s3.test.ts",
    "test/http/setting.test.ts",
  ],
  "strangers, and a service that fails": [
    "test/http/failure.test.ts",
    "test/http/stranger-backup.test.ts",
    "test/http/stranger-nodes.test.ts",
    "test/http/stranger-search.test.ts",
    "test/http/stranger-session.test.ts",
    "test/http/stranger-write.test.ts",
  ],
  "the process and what it leaves on the disk": [
    "test/cli/clean-stop.test.ts",
    "test/cli/clock.test.ts",
    "test/cli/damage.test.ts",
    "test/cli/log.test.ts",
    "test/cli/memory.test.ts",
    "test/cli/modes.test.ts",
    "test/cli/process.test.ts",
    "test/cli/terminal.test.ts",
  ],
  "the package, older versions, the first run, the commands of guides, the sample site": [
    "test/cli/cli.test.ts",
    "test/cli/operations.test.ts",
    "test/cli/package.test.ts",
    "test/cli/sample-site.test.ts",
    "test/cli/upgrade.test.ts",
  ],
};

test("a test of one room of src stands in it", () => {
  const all = globSync("test/**/*.test.ts", { cwd: root });
  assertListed(
    all.filter((file) => !rooms.includes(file.split("/")[1] ?? "")),
    ofTheWhole,
  );
});

test("a test in src is named after a file beside it, or after its room: image/routes-cost, image/image-command", () => {
  const all = globSync("src/**/*.test.ts", { cwd: root });
  assert.ok(all.length > 150);
  for (const file of all) {
    const beside = globSync(join(dirname(file), "*.ts"), { cwd: root }).filter((name) => !name.endsWith(".test.ts"));
    const names = [basename(dirname(file)), ...beside.map((name) => basename(name, ".ts"))];
    const own = basename(file, ".test.ts");
    assert.ok(
      names.some((name) => own === name || own.startsWith(`${name}-`)),
      `${file}: no file beside it has this name, or the beginning of it`,
    );
  }
});
