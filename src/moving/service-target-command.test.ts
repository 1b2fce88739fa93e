import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { atEnd } from "../../test/ending.ts";
import { useWorld } from "../../test/harness.ts";
import { serviceOf } from "../cli/ask.ts";
import { UsageError } from "../cli/command.ts";
import { Refusal } from "../cli/refusal.ts";
import { type Path, parsePath } from "../core/path.ts";
import { NotImported } from "./import-entry.ts";
import { UnreadableFile } from "./moving.ts";
import { ServiceTarget } from "./service-target-command.ts";

/** What an import over the API does with what a service refuses, and with files that cannot be read. */

const world = useWorld();
const env = () => ({ OCTAVO_TOKEN: world.token.management, OCTAVO_ACCESS_TOKEN: world.token.access });

function targetAt(url: string, variables: Record<string, string>, waits: number[] = []): ServiceTarget {
  const io = { env: variables } as never;
  const wait = async (ms: number) => void waits.push(ms);
  return new ServiceTarget(serviceOf({ io } as never, url), undefined, wait);
}

const refuses =
  (code: string, more: object = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(503, { "Content-Type": "application/problem+json", "Retry-After": "7" });
    response.end(JSON.stringify({ code, detail: "There is no room.", ...more }));
  };

async function serverOf(answers: RequestListener[]): Promise<string> {
  const server = createServer((request, response) => {
    const answer = (answers.length > 1 ? answers.shift() : answers[0]) as RequestListener;
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const state = {
  ...{ data: '{"content":""}', fields: {}, fileSeconds: 1_600_000_000, onConflict: "fail" as const },
  ...{ uuid: "7d1f2a56-2f3f-4d6d-8f52-6a3a4f0e7b22", modifiedAt: 1_600_000_000 },
};
const path = (text: string): Path => parsePath("path", text);

test("a service that has no room is asked again as it says, for two minutes", async () => {
  const waits: number[] = [];
  const made: RequestListener = (_request, response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end('{"data":{}}');
  };
  const notes: string[] = [];
  const url = await serverOf([refuses("busy"), refuses("too_many_requests"), made]);
  assert.equal(await targetAt(url, {}, waits).putEntry(path("a"), state, notes), "created");
  assert.deepEqual([waits, notes], [[7000, 7000], ["its uuid and modified_at are new: the API sets them"]]);
  const never: number[] = [];
  const full = targetAt(await serverOf([refuses("busy")]), {}, never);
  await assert.rejects(
    full.putEntry(path("a"), state, []),
    (error) => error instanceof Refusal && error.code === "busy",
  );
  assert.equal(never.length, Math.ceil(120 / 7));
});

test("what every other thing would meet ends the import; what one thing meets is refused", async () => {
  for (const code of [
    "storage_full",
    "internal",
    "token_invalid",
    "access_token_invalid",
    "scope_missing",
    "call_limit_reached",
  ]) {
    const target = targetAt(await serverOf([refuses(code)]), {});
    await assert.rejects(
      target.putEntry(path("a"), state, []),
      (error) => error instanceof Refusal && error.code === code,
    );
  }
  const target = targetAt(await serverOf([refuses("data_invalid", { errors: [{ message: "/x is missing" }] })]), {});
  await assert.rejects(
    target.putEntry(path("a"), state, []),
    new NotImported("There is no room.; /x is missing", "data_invalid"),
  );
  const missing = targetAt(await serverOf([refuses("access_token_missing")]), {});
  await assert.rejects(missing.createFolder(path("a")), UsageError);
});

test("a file that cannot be read, or changes meanwhile, is a fault of the file", async () => {
  const meta = { title: "A", description: "", meta: "{}", uploadedAt: 0, statesTime: false, sentName: undefined };
  const put = (name: string, size: number, open: () => AsyncIterable<Uint8Array>) => {
    const found = { kind: "file" as const, path: name, size, modifiedSeconds: 0 };
    const rules = { onConflict: "fail" as const, isDryRun: false, layout: "project" as const };
    return targetAt(world.app.url, env()).putFile({ path: path(name), found, open, meta }, rules, []);
  };
  const bytes = Buffer.from("text");
  const gone = async function* () {
    yield bytes;
    throw new UnreadableFile("it cannot be read");
  };
  const whole = async function* () {
    yield bytes;
  };
  await assert.rejects(put("gone.txt", 8, gone), new UnreadableFile("it cannot be read"));
  await assert.rejects(put("shrunk.txt", 5, whole), new UnreadableFile("it changed while it was read"));
  await assert.rejects(put("grown.txt", 3, whole), new UnreadableFile("it changed while it was read"));
  for (const name of ["whole.txt", 'Grüße "neu" 100%.txt', "日本.txt"]) await put(name, 4, whole);
  const headers = { Authorization: `Bearer ${world.token.management}` };
  const { json } = await world.send("GET", "/api/files?path=&options[sent_name]=true", { headers });
  const stored = Object.values(json.data as Record<string, Record<string, string>>);
  assert.deepEqual(
    stored.map(({ filename, sent_name, title }) => [filename, sent_name, title]).toSorted(),
    ['Grüße "neu" 100%.txt', "whole.txt", "日本.txt"].map((name) => [name, name, "A"]),
  );
});
