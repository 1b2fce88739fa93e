import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atEnd } from "./ending.ts";
import { freePort } from "./free-port.ts";
import { temporaryFolder, until } from "./harness.ts";

/** The programs that stand in front of the service, if they are installed. */

export const isInstalled = (program: string): boolean =>
  (process.env.PATH ?? "").split(":").some((folder) => existsSync(join(folder, program)));

/** Why a test with Varnish and its module of purges by name cannot run; false if it can. */
export function withoutXkey(): string | false {
  if (!isInstalled("varnishd")) return "varnishd is not installed here";
  const places = ["/usr/lib*/varnish/vmods", "/usr/lib/*/varnish/vmods", "/usr/local/lib/varnish/vmods"];
  const found = globSync(places.map((place) => `${place}/libvmod_xkey.so`));
  return found.length > 0 ? false : "Varnish's module xkey is not installed here";
}

/** Waits until something answers at the address. */
export async function answering(url: string): Promise<string> {
  await until(
    async () => (await fetch(url, { method: "OPTIONS" }).catch(() => undefined)) !== undefined,
    `${url} does not answer`,
  );
  return url;
}

/** Varnish with a file of deploy/ as it is, except the node. */
export async function startVarnish(config: string, node: number): Promise<string> {
  const folder = temporaryFolder();
  const file = join(folder, "default.vcl");
  const text = readFileSync(new URL(`../deploy/${config}`, import.meta.url), "utf8");
  writeFileSync(file, text.replace('"octavo-1"', '"127.0.0.1"').replace('"8080"', `"${node}"`));
  const port = await freePort();
  const words = ["-F", "-j", "none", "-n", folder, "-f", file, "-a", `127.0.0.1:${port}`, "-s", "malloc,16m"];
  const child = spawn("varnishd", words, { stdio: "ignore" });
  atEnd(async () => {
    child.kill();
    await once(child, "close");
  });
  return answering(`http://127.0.0.1:${port}`);
}
