import assert from "node:assert/strict";
import type { World } from "./harness.ts";

/** Calls of tests that translate entries of a world with locales. */

export type Data = Record<string, unknown>;
export const url = "/api/entries/translations";

export function translationCalls(world: World) {
  const call = (method: string, path: string, body: object) => {
    const { management, access } = world.token;
    return world.send(method, path, { body: { token: management, access_token: access, ...body } });
  };
  const write = async (method: string, path: string, body: object) => {
    const reply = await call(method, path, body);
    assert.ok(reply.status < 300, reply.text);
    return reply.json?.data as Data;
  };
  const refused = async (method: string, path: string, body: object, status: number, code: string) => {
    const reply = await call(method, path, body);
    assert.deepEqual([reply.status, reply.json.code], [status, code], reply.text);
    return reply.json;
  };
  const create = (id: string, data: object = {}) => write("POST", "/api/entries", { id, data });
  const translate = (id: string, locale: string, data: object, more: object = {}) =>
    write("PATCH", url, { id, locale, data, ...more });
  const read = (query: Record<string, string>, token = world.token.delivery, path = "/api/entries") =>
    world.send("GET", path, { query: { token, ...query } });
  const dataOf = async (query: Record<string, string>, token?: string) => {
    const reply = await read(query, token);
    assert.equal(reply.status, 200, reply.text);
    return reply.json.data as Data;
  };
  return { call, write, refused, create, translate, read, dataOf };
}
