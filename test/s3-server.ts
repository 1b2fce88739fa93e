import "./env.ts";
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { Bucket, type BucketOptions, drain } from "../src/core/bytes/s3/bucket.ts";
import { atEnd, closing } from "./ending.ts";

/** Buckets for tests, on fauxqs or on the server of OCTAVO_TEST_S3 (JSON), which checks signatures. */

export type S3Server = Pick<BucketOptions, "endpoint" | "region" | "accessKey" | "secretKey"> & {
  stop(): Promise<void>;
};

/** The server of OCTAVO_TEST_S3, or a new one. */
export async function startS3(): Promise<S3Server> {
  const { OCTAVO_TEST_S3: given } = process.env;
  if (given) return { region: "us-east-1", ...JSON.parse(given), stop: async () => undefined };
  const { startFauxqs } = await import("fauxqs");
  const server = await startFauxqs({ port: 0, host: "127.0.0.1", logger: false });
  const endpoint = `http://127.0.0.1:${server.port}`;
  return { endpoint, region: "us-east-1", accessKey: "test", secretKey: "test-secret", stop: () => server.stop() };
}

/** True when the server checks signatures: fauxqs does not. */
export const checksSignatures = process.env.OCTAVO_TEST_S3 !== undefined;

/**
 * A server that runs during the tests of the file; call it at the top of a file. Returns a function that creates a
 * unique bucket.
 */
export function useS3(): () => Promise<BucketOptions> {
  const started = startS3();
  atEnd(async () => (await started).stop());
  return async () => {
    const { stop: _, ...server } = await started;
    const bucket = `octavo-${randomBytes(6).toString("hex")}`;
    const options = { ...server, bucket, prefix: "some/where/", isPathStyle: true, timeoutMs: 5000, tries: 4 };
    await makeBucket(options);
    return options;
  };
}

/** The settings of a service that uses the bucket. */
export const bucketEnv = (options: BucketOptions): Record<string, string> => ({
  OCTAVO_S3_ENDPOINT: options.endpoint,
  OCTAVO_S3_BUCKET: options.bucket,
  OCTAVO_S3_ACCESS_KEY: options.accessKey,
  OCTAVO_S3_SECRET_KEY: options.secretKey,
  OCTAVO_S3_PREFIX: options.prefix,
});

export async function makeBucket(options: BucketOptions): Promise<void> {
  await closing(new Bucket(options), (bucket) => bucket.ask({ method: "PUT" }, drain));
}

/**
 * How the proxy handles a request: forward it; close the connection before the server has it, after that, or in the
 * middle of the reply; refuse it; not outgoing.
 */
export type Fate = "pass" | "cut" | "cut after" | "break" | "SlowDown" | "AccessDenied" | "hang";
export type S3Proxy = {
  endpoint: string;
  /** Every request so far: `PUT /bucket/key?query`. */
  seen: string[];
  /** Called for each request, counted from 1. */
  fate: (n: number, what: string) => Fate;
  /** The number of replies in progress. */
  open: number;
};

/** A proxy in front of an S3 server during a test; `fate` decides about each request. */
export async function startProxy(test: TestContext, target: string): Promise<S3Proxy> {
  const proxy: S3Proxy = { endpoint: "", seen: [], fate: () => "pass", open: 0 };
  const server = createServer((incoming, outgoing) => {
    const what = `${incoming.method} ${incoming.url}`;
    const fate = proxy.fate(proxy.seen.push(what), what);
    proxy.open++;
    outgoing.once("close", () => proxy.open--);
    if (fate === "cut") incoming.socket.destroy();
    else if (fate === "SlowDown" || fate === "AccessDenied") refuse(outgoing, fate);
    else if (fate !== "hang") pass(target, incoming, outgoing, fate);
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  proxy.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return proxy;
}

function pass(target: string, incoming: IncomingMessage, outgoing: ServerResponse, fate: Fate): void {
  const { method, headers } = incoming;
  const cut = () => incoming.socket.destroy();
  const passed = request(target + incoming.url, { method, headers, agent: false }, (response) => {
    // Swift sends a body after the reply to HEAD: only the head counts from here on.
    passed.off("error", cut).on("error", () => undefined);
    if (fate === "cut after") return void cut();
    outgoing.writeHead(response.statusCode ?? 0, response.headers);
    response.once("error", cut);
    if (fate === "break") passHalf(response, outgoing);
    else response.pipe(outgoing);
  });
  passed.on("error", cut);
  outgoing.on("close", () => passed.destroy());
  incoming.pipe(passed);
}

function passHalf(response: IncomingMessage, outgoing: ServerResponse): void {
  let left = Number(response.headers["content-length"]) / 2;
  response.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left > 0) return void outgoing.write(chunk);
    response.destroy();
    outgoing.write(chunk, () => outgoing.socket?.destroy());
  });
}

function refuse(outgoing: ServerResponse, code: "SlowDown" | "AccessDenied"): void {
  outgoing.writeHead(code === "SlowDown" ? 503 : 403, { "content-type": "application/xml" });
  outgoing.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>on &quot;purpose&quot;</Message></Error>`);
}
