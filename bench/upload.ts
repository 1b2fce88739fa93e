import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/**
 * A resumable upload of 2 GB: what it adds to the memory of the service, and to the 99th percentile of reads beside it.
 * `node bench/upload.ts [GIGABYTES]`; prints one line of JSON.
 */

const gigabytes = Number(process.argv[2] ?? 2);
const size = Math.round(gigabytes * 1e9);
const data = mkdtempSync(join(tmpdir(), "octavo-bench-"));
const main = new URL("../src/main.ts", import.meta.url).pathname;
const args = ["serve", "--demo", "--port", "0", "--data", data, "--log", "off", "--upload-max-bytes", "10GiB"];
const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "inherit"] });

const lines: string[] = [];
let url = "";
for await (const line of createInterface({ input: child.stdout })) {
  lines.push(line);
  url ||= /answers on (http:\/\/[^\s/]+)/.exec(line)?.[1] ?? "";
  if (url && lines.join("\n").includes("oct_a_")) break;
}
const token = (kind: string) => lines.join("\n").match(new RegExp(`^ +${kind} +(oct_\\w+\\S*)`, "m"))?.[1] ?? "";
const headers = {
  Authorization: `Bearer ${token("management")}`,
  "X-Access-Token": token("access"),
  "Tus-Resumable": "1.0.0",
};

const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024;
let peak = 0;
const watching = setInterval(() => {
  peak = Math.max(peak, memory());
}, 100);

/** Reads an entry again and again until it is over; answers the 99th percentile in milliseconds. */
async function readUntil(isOver: () => boolean): Promise<{ p99: number; reads: number }> {
  const times: number[] = [];
  while (!isOver()) {
    const startedMs = performance.now();
    await (await fetch(`${url}/api/entries?id=movies&token=${token("delivery")}`)).text();
    times.push(performance.now() - startedMs);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  times.sort((a, b) => a - b);
  return { p99: times[Math.floor(times.length * 0.99)] ?? 0, reads: times.length };
}

async function* bytes(): AsyncGenerator<Uint8Array> {
  const line = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n";
  const chunk = Buffer.alloc(1_000_000, line);
  for (let left = size; left > 0; left -= chunk.length) yield chunk.subarray(0, Math.min(left, chunk.length));
}

try {
  const idleUntil = performance.now() + 10_000;
  const idle = await readUntil(() => performance.now() > idleUntil);
  const before = memory();
  peak = 0;
  const announced = { ...headers, "Upload-Length": String(size), "Upload-Metadata": "filename YmlnLnR4dA==" };
  const begun = await fetch(`${url}/api/uploads`, { method: "POST", headers: announced });
  const startedMs = performance.now();
  let isOver = false;
  const sent = { ...headers, "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0" };
  const address = `${url}/api/${begun.headers.get("location")}`;
  const uploading = fetch(address, {
    ...{ method: "PATCH", headers: sent, duplex: "half" },
    body: bytes() as unknown as ReadableStream,
  } as RequestInit).finally(() => {
    isOver = true;
  });
  const beside = await readUntil(() => isOver);
  const { status } = await uploading;
  const seconds = (performance.now() - startedMs) / 1000;
  console.log(JSON.stringify({ gigabytes, status, seconds, idle, beside, addedMiB: peak - before, baseMiB: before }));
} finally {
  clearInterval(watching);
  child.kill("SIGTERM");
  await new Promise((resolve) => child.once("exit", resolve));
  rmSync(data, { recursive: true, force: true });
}
