import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, writeFileSync, globSync } from "node:fs";
import { startService } from "./acceptance/service.ts";
import { startPostgres } from "./postgres.ts";
import { compileCache } from "./runner.ts";
process.env.NODE_COMPILE_CACHE = compileCache;
const [out = "", ...texts] = process.argv.slice(2);
const files = globSync("test/**/*.test.ts").filter((f) => texts.length === 0 || texts.some((t) => f.includes(t))).sort();
const pg = await startPostgres();
const service = await startService();
writeFileSync(out, "");
for (const f of files) {
  const shared = f.includes("/acceptance/") && !f.includes("storm") ? { OCTAVO_TEST_URL: service.url, OCTAVO_TEST_TOKENS: JSON.stringify(service.tokens) } : {};
  const r = spawnSync("/usr/bin/time", ["-f", "TIME %e %U %S", process.execPath, "--test-reporter=spec", f], { env: { ...process.env, TEST_POSTGRES_URL: pg.url, ...shared }, encoding: "utf8", timeout: 400_000 });
  const t = /TIME ([\d.]+) ([\d.]+) ([\d.]+)/.exec(r.stderr ?? "");
  const fails = /ℹ fail (\d+)/.exec(r.stdout ?? "")?.[1];
  appendFileSync(out, `${t ? (Number(t[2]) + Number(t[3])).toFixed(2) : "?"} ${t?.[1]} ${f} fail=${fails}\n`);
}
await service.stop();
