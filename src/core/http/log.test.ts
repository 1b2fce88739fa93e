import "../../../test/env.ts";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { jsonLog, redactUrl } from "./log.ts";

const secret = `oct_d_${"a".repeat(43)}`;

const urls: [string, string][] = [
  ["/api/entries?id=a&token=geheim", "/api/entries?id=a&token=[redacted]"],
  ["/admin/session/oidc/back?code=geheim&iss=a", "/admin/session/oidc/back?code=[redacted]&iss=a"],
  ["/api/entries?access_token=geheim&id=a", "/api/entries?access_token=[redacted]&id=a"],
  ["/api/entries?%74oken=geheim", "/api/entries?%74oken=[redacted]"],
  ["/api/entries?token[]=geheim&id=a", "/api/entries?token[]=[redacted]&id=a"],
  ["/api/entries?token%5B%5D=geheim", "/api/entries?token%5B%5D=[redacted]"],
  ["/api/entries?access_token[a][b]=geheim", "/api/entries?access_token[a][b]=[redacted]"],
  ["/api/images/a.jpg?s=geheim&w=1", "/api/images/a.jpg?s=[redacted]&w=1"],
  ["/api/images/a.jpg?s=geheim&w=%31", "/api/images/a.jpg?s=[redacted]&w=%31"],
  ["/api/images/a.jpg?%73=geheim&w=1", "/api/images/a.jpg?%73=[redacted]&w=1"],
  ["/api/entries?access%5Ftoken=geheim", "/api/entries?access%5Ftoken=[redacted]"],
  [`/api/${secret}/x?y=${secret}`, "/api/[redacted]/x?y=[redacted]"],
  ["/api/entries?tokens=1", "/api/entries?tokens=1"],
  ["/api/entries?token=a&token=b&x=1&s=c", "/api/entries?token=[redacted]&token=[redacted]&x=1&s=[redacted]"],
  [
    "/api/entries?token=a&s[0]=b&access_token=",
    "/api/entries?token=[redacted]&s[0]=[redacted]&access_token=[redacted]",
  ],
  [`/api/${secret.replace("oct_d", "oct_p")}/x`, "/api/[redacted]/x"],
  [`/admin#code=invite-${"a".repeat(43)}`, "/admin#code=[redacted]"],
  [
    `/admin%23code%3Dreset-${"a".repeat(43)}?x=#code=${"a".repeat(43)}`,
    "/admin%23code%3D[redacted]?x=#code=[redacted]",
  ],
  ["/health/live", "/health/live"],
];
for (const [url, logged] of urls) {
  test(`${url.slice(0, 40)} is logged without its secret`, () => assert.equal(redactUrl(url), logged));
}

test("a line of the request log is JSON whatever the URL and X-Forwarded-For contain", () => {
  const written: string[] = [];
  const log = jsonLog((lines) => written.push(lines.toString()));
  const address = '"x":"';
  const more = { address, method: "GET", url: '/"\\é?x=\u2028', startedMs: 0, actor: "" };
  for (const status of [404, 503]) log.request({ ...more, id: "1", status });
  log.close();
  const [line, failed] = written
    .join("")
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text));
  assert.deepEqual([line.level, failed.level], ["info", "warn"]);
  assert.equal(line.address, address);
  assert.equal(line.url, '/"\\é?x=\u2028');
  assert.equal(line.status, 404);
});

test("the error log has the causes of an error with their stacks and no secrets; what is only said is a message", () => {
  const script = `
    import { silentLog } from ${JSON.stringify(new URL("./log.ts", import.meta.url).href)};
    const cause = new Error("the cause has ${secret}");
    silentLog.error("id1", new Error("the error has ${secret}", { cause }));
    silentLog.error("words", "half of them", "info");`;
  const { stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  const [line = "", said = ""] = stderr.trim().split("\n");
  const { time, level, id, error } = JSON.parse(line) as Record<string, string>;
  assert.ok(Date.parse(time as string) > 0);
  assert.deepEqual([level, id], ["error", "id1"]);
  assert.match(
    error as string,
    /^Error: the error has \[redacted\]\n +at [\s\S]+\ncaused by: Error: the cause has \[redacted\]\n +at /,
  );
  assert.ok(!stderr.includes(secret));
  assert.match(said, /"level":"info","id":"words","message":"half of them"}$/);
});
