// Slow: it starts nginx and a service.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { startOctavo } from "../cli/octavo.ts";
import { freePort } from "../free-port.ts";
import { temporaryFolder, until } from "../harness.ts";
import { isInstalled } from "../varnish.ts";

/** The fourth step of docs/server.md: nginx with TLS in front of one service, with a certificate of the test. */

const root = new URL("../../", import.meta.url).pathname;
const lacks = ["nginx", "openssl"].find((program) => !isInstalled(program));

/** The reply over TLS, whoever signed the certificate. */
async function send(
  url: string,
  method = "GET",
  body = "",
): Promise<{ status: number; json: Record<string, unknown> }> {
  const headers = { "Content-Type": "application/json" };
  const sent = request(url, { method, headers, rejectUnauthorized: false }).end(body);
  const [reply] = await once(sent, "response");
  return { status: reply.statusCode, json: JSON.parse(await text(reply)) };
}

/** nginx with the file as it is, except ports and what certbot adds. */
async function startNginx(t: TestContext, service: string): Promise<string> {
  const [folder, port] = [temporaryFolder(), await freePort()];
  mkdirSync(join(folder, "tmp"));
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const words = ["req", "-x509", "-newkey", "ed25519", "-nodes", "-days", "1", "-subj", "/CN=content.example.org"];
  execFileSync("openssl", [...words, "-keyout", key, "-out", certificate], { stdio: "pipe" });
  const server = readFileSync(join(root, "deploy/nginx-server.conf"), "utf8")
    .replace("listen 80;", `listen 127.0.0.1:${port} ssl; ssl_certificate ${certificate}; ssl_certificate_key ${key};`)
    .replace("http://127.0.0.1:8080", service);
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((n) => `${n}_temp_path ${folder}/tmp/${n};`);
  const user = process.getuid?.() === 0 ? "user root; " : "";
  const config = join(folder, "nginx.conf");
  writeFileSync(
    config,
    `${user}daemon off; pid ${folder}/pid; error_log stderr crit; events {} http { ${places.join(" ")}\n${server} }`,
  );
  const child = spawn("nginx", ["-c", config, "-p", folder], { stdio: ["ignore", "ignore", "inherit"] });
  t.after(() => child.kill());
  const url = `https://127.0.0.1:${port}`;
  const isUp = () =>
    send(`${url}/health/live`).then(
      ({ status }) => status === 200,
      () => false,
    );
  await until(isUp, "nginx does not answer");
  return url;
}

test("nginx as on a server terminates TLS: the service knows its https address, and takes writes", {
  skip: lacks ? `${lacks} is not installed here` : false,
}, async (t) => {
  const env = { OCTAVO_TRUST_PROXY: "127.0.0.1" };
  const service = await startOctavo(["--demo"], { cwd: temporaryFolder(), env });
  const url = await startNginx(t, service.url);
  const { servers } = (await send(`${url}/api/openapi.json`)).json as { servers: { url: string }[] };
  assert.equal(servers[0]?.url, url);
  const secretOf = (kind: string) => new RegExp(`oct_${kind}_[\\w-]{43}`).exec(service.lines.join("\n"))?.[0];
  const tokens = { token: secretOf("m"), access_token: secretOf("a") };
  const body = JSON.stringify({ ...tokens, id: "behind-tls", data: { title: "Secure" } });
  assert.equal((await send(`${url}/api/entries`, "POST", body)).status, 200);
  const repeated = await send(`${url}/api/entries`, "POST", body);
  assert.equal(repeated.json.code, "entry_exists", "a write is sent once, and its refusal comes through");
});
