import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { apiTypes, leftOut, type OpenApi, spoken } from "../../scripts/client-api.ts";
import { useWorld } from "../harness.ts";

const world = useWorld();
const sources = new URL("../../client/src/", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, sources), "utf8");
const describe = async () => (await world.send("GET", "/api/openapi.json")).json as unknown as OpenApi;

test("client/src/api.ts is what npm run docs generates from the served OpenAPI description", async () => {
  assert.equal(read("api.ts"), apiTypes(await describe()));
});

test("every operation of the description has a client method or is excluded", async () => {
  const description = await describe();
  const code = globSync("*.ts", { cwd: sources.pathname })
    .filter((file) => file !== "api.ts")
    .map(read)
    .join("\n");
  for (const [operation] of spoken(description)) assert.ok(code.includes(`"${operation}"`), operation);
  for (const [, operation] of code.matchAll(/"((?:GET|POST|PATCH|PUT|DELETE) [^"]+)"/g)) {
    assert.ok(Object.fromEntries(spoken(description))[operation ?? ""], operation);
  }
  const rest = Object.keys(description.paths).filter((path) => leftOut.test(path));
  assert.deepEqual(rest.sort(), [
    "/api/delivery/entries",
    "/api/delivery/images/{path}",
    "/api/delivery/registry",
    "/api/files/history/bytes",
    "/api/management/entries",
    "/api/management/entries/copy",
    "/api/media/files",
    "/api/media/files/copy",
    "/api/media/files/history",
    "/api/media/files/history/bytes",
    "/api/media/files/history/state",
    "/api/media/files/meta",
    "/api/media/files/restore",
    "/api/media/folders",
    "/api/media/folders/copy",
    "/api/openapi.json",
    // @octavo/client/resumable, whose arguments are headers.
    "/api/uploads",
    "/api/uploads/{path}",
    "/health/live",
    "/health/ready",
    "/metrics",
    "/project/media/{path}",
    "/project/uploads/{path}",
  ]);
});
