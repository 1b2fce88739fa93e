/** Health and the API's own description. Contract §8. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Any, allRepliesKeptTheirPromises, enter } from "./world.ts";

const world = await enter("health");

for (const path of ["/health/live", "/health/ready"]) {
  describe(`GET ${path}`, () => {
    test("is 200 without any token, in JSON", async () => {
      const reply = await world.send({ path });
      assert.equal(reply.status, 200, reply.text);
      assert.match(reply.headers["content-type"] ?? "", /^application\/json/);
      assert.equal(typeof JSON.parse(reply.text), "object");
    });

    test("is the same with an invalid token, and not cacheable", async () => {
      const reply = await world.send({ path, query: { token: "x" }, headers: { authorization: "Bearer x" } });
      assert.equal(reply.status, 200);
      assert.match(reply.headers["cache-control"] ?? "", /no-store|no-cache/);
    });

    test("reveals no internals", async () => {
      const { text } = await world.send({ path });
      assert.doesNotMatch(text, /\/tmp|\/home|sqlite|node_modules|Error|"pid"|hostname/i);
    });

    test("answers 200 concurrent requests", async () => {
      const replies = await Promise.all(Array.from({ length: 200 }, () => world.send({ path })));
      assert.ok(replies.every(({ status }) => status === 200));
    });
  });
}

const routes: Record<string, string[]> = {
  "/api/entries": ["get", "post", "patch", "put", "delete"],
  "/api/entries/copy": ["put"],
  "/api/delivery/entries": ["get"],
  "/api/delivery/registry": ["get"],
  "/api/management/entries": ["get", "post", "patch", "put", "delete"],
  "/api/registry": ["get", "put", "delete"],
  "/api/tokens": ["get", "post", "patch", "delete"],
  "/api/tokens/rotate": ["put"],
  "/api/events": ["get"],
  "/api/stats": ["get"],
  "/health/live": ["get"],
  "/health/ready": ["get"],
};

describe("GET /api/openapi.json", async () => {
  const reply = await world.send({ path: "/api/openapi.json" });
  const document: Any = reply.status === 200 ? JSON.parse(reply.text) : {};

  test("is an OpenAPI 3.1 document, without a token", () => {
    assert.equal(reply.status, 200, reply.text.slice(0, 300));
    assert.match(reply.headers["content-type"] ?? "", /^application\/(vnd\.oai\.openapi\+)?json/);
    assert.match(document.openapi, /^3\.1\.\d+$/);
    assert.ok(document.info.title && document.info.version);
  });

  for (const [path, methods] of Object.entries(routes)) {
    test(`lists ${path} with ${methods.join(", ")}`, () => {
      const item = document.paths[path];
      assert.ok(item, `${path} is not in ${Object.keys(document.paths)}`);
      for (const method of methods) {
        assert.ok(item[method], method);
        const statuses = Object.keys(item[method].responses ?? {});
        assert.ok(
          statuses.some((status) => /^(2|default)/.test(status)),
          `${method} has a success`,
        );
      }
    });
  }

  test("lists no route that does not exist", async () => {
    for (const [path, item] of Object.entries<Any>(document.paths ?? {})) {
      for (const method of ["get", "post", "put", "patch", "delete"].filter((name) => name in item)) {
        const address = path.replaceAll(/\{[^}]*\}/g, "x");
        const call = {
          method: method.toUpperCase(),
          path: address,
          uniqueAddress: true,
          ...(method === "get" ? {} : { json: {} }),
        };
        const { status, text } = await world.send(call);
        const isMissing = status === 404 && text.includes("route_not_found");
        assert.ok(!isMissing && status !== 405 && status < 500, `${method} ${path}: ${status}`);
      }
    }
  });

  test("every reference in it resolves", () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"#([^"]+)"/g);
    for (const [, pointer] of references) {
      const parts = (pointer as string).split("/").slice(1);
      const at = parts.reduce(
        (value: Any, part) => value?.[decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")],
        document,
      );
      assert.notEqual(at, undefined, pointer);
    }
  });

  test("every operation id is unique", () => {
    const ids = Object.values<Any>(document.paths ?? {})
      .flatMap((item) => Object.values<Any>(item))
      .map((operation) => operation.operationId)
      .filter((id) => id !== undefined);
    assert.equal(new Set(ids).size, ids.length);
  });

  test("it describes problems, and both ways of sending a token", () => {
    const text = JSON.stringify(document);
    assert.ok(text.includes("application/problem+json"));
    assert.match(text, /"securitySchemes"/);
    assert.match(text, /X-Access-Token/i);
  });
});

allRepliesKeptTheirPromises(world);
