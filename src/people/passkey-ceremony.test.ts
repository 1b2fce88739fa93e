import assert from "node:assert/strict";
import { test } from "node:test";
import { relyingPartyOf } from "./passkey-ceremony.ts";

test("browsers know the service by its public address, or as localhost; elsewhere there are no passkeys", () => {
  for (const [publicUrl, local, id, origin] of [
    ["https://cms.example.org", "http://127.0.0.1:8080", "cms.example.org", "https://cms.example.org"],
    ["https://cms.example.org:8443/below", "http://[::1]:80", "cms.example.org", "https://cms.example.org:8443"],
    ["https://CMS.Example.org", "http://127.0.0.1:8080", "cms.example.org", "https://cms.example.org"],
    ["http://localhost:3000", "http://127.0.0.1:8080", "localhost", "http://localhost:3000"],
    ["http://cms.localhost", "http://127.0.0.1:8080", "cms.localhost", "http://cms.localhost"],
    [undefined, "http://127.0.0.1:8080", "localhost", "http://localhost:8080"],
    [undefined, "http://0.0.0.0:8080", "localhost", "http://localhost:8080"],
    [undefined, "http://[::]:80", "localhost", "http://localhost"],
    ["http://cms.example.org", "http://127.0.0.1:8080", undefined, undefined],
    ["https://192.0.2.1", "http://127.0.0.1:8080", undefined, undefined],
    ["https://[2001:db8::1]", "http://127.0.0.1:8080", undefined, undefined],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080", undefined, undefined],
  ] as const) {
    const found = relyingPartyOf(publicUrl, local);
    assert.deepEqual([found?.id, found?.origin], [id, origin], `${publicUrl} ${local}`);
  }
});
