import assert from "node:assert/strict";
import { fillDemo } from "../../src/demo.ts";
import type { World } from "../harness.ts";

/** Fills the store with the sample site, which takes only an empty one; this one has tokens already. */
export async function fillSample({ app: { stores } }: World): Promise<void> {
  const seemingly = { ...stores, tokens: { ...stores.tokens, list: async () => [] } };
  assert.ok(await fillDemo(seemingly, Math.floor(Date.now() / 1000), () => undefined));
}
