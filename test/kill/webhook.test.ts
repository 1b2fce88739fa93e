// Slow: it kills the process that sends webhooks, again and again.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Seal } from "../../src/people/seal.ts";
import { readSettings } from "../../src/settings.ts";
import { openStores, type Stores } from "../../src/stores.ts";
import { newWebhook } from "../../src/webhook/webhook.ts";
import { closing } from "../ending.ts";
import { temporaryFolder, until } from "../harness.ts";
import { type Receiver, startReceiver } from "../hook-receiver.ts";
import { createDatabase, lacksPostgres } from "../postgres.ts";
import { bucketEnv, useS3 } from "../s3-server.ts";
import { rounds, start } from "./service.ts";

/** Every event comes, in order, whatever happens to the processes that send. */

const nowSeconds = () => Math.floor(Date.now() / 1000);
const by = () => ({ actor: "test", nowSeconds: nowSeconds() });
const isPrivate = { OCTAVO_WEBHOOK_PRIVATE: "on" };

async function makeHook({ webhooks, signingKey }: Stores, url: string) {
  const seal = new Seal(signingKey, "octavo webhook");
  const input = { url, kinds: ["registry.*"] };
  const { webhook, secret } = newWebhook(input, { id: randomUUID(), nowSeconds: nowSeconds(), seal });
  return { ...(await webhooks.create(webhook, by())), secret };
}

/** Writes until it is stopped; answers the sequences of the events. */
function writing({ registry, events }: Stores, since: number) {
  let isStopped = false;
  const write = async () => {
    for (let i = 0; !isStopped; i++) {
      await registry.put("a.b", { value: String(i) }, by());
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    const all = await events.list(since, 100_000);
    return all.filter(({ kind }) => kind === "registry.set").map(({ sequence }) => sequence);
  };
  const written = write();
  return () => {
    isStopped = true;
    return written;
  };
}

/** A slow receiver, that a kill finds at work. */
async function slowReceiver(): Promise<Receiver> {
  const receiver = await startReceiver();
  receiver.answer = (reply) => void setTimeout(() => reply.writeHead(204).end(), 40);
  return receiver;
}

async function checkAll(receiver: Receiver, expected: number[], secret: string): Promise<void> {
  const firsts = () => [...new Set(receiver.sequences())];
  await until(
    () => firsts().length >= expected.length,
    () => `${firsts().length} of ${expected.length}`,
    90_000,
  );
  assert.deepEqual(firsts(), expected);
  const verifier = new StandardWebhook(secret);
  const bodies = new Map<unknown, string>();
  for (const { headers, body } of receiver.received) {
    verifier.verify(body, headers as Record<string, string>);
    const id = headers["webhook-id"];
    assert.equal(bodies.get(id) ?? body, body);
    bodies.set(id, body);
  }
}

test("a process that is killed while it sends goes on where it stopped", { timeout: 240_000 }, async () => {
  const data = temporaryFolder();
  const settings = readSettings({ flags: { data }, env: {}, file: undefined });
  const receiver = await slowReceiver();
  await closing(openStores(settings), async (stores) => {
    const hook = await makeHook(stores, receiver.url);
    const stop = writing(stores, hook.sequence);
    for (let round = 0; round < rounds; round++) {
      const before = receiver.received.length;
      const { child } = await start(data, isPrivate);
      await until(() => receiver.received.length > before + 5, "it sends");
      child.kill("SIGKILL");
    }
    const written = await stop();
    await start(data, isPrivate);
    await checkAll(receiver, written, hook.secret);
    const at = async () => (await stores.webhooks.get(hook.id)).sequence;
    await until(async () => (await at()) >= (written.at(-1) as number), "acknowledged");
  });
});

describe("two nodes", { skip: lacksPostgres() ?? false }, () => {
  const makeBucket = useS3();

  test("send each event in order; when one is killed the other takes over", { timeout: 240_000 }, async () => {
    const env = { OCTAVO_POSTGRES_URL: await createDatabase(), ...bucketEnv(await makeBucket()), ...isPrivate };
    const settings = readSettings({ flags: { data: temporaryFolder() }, env, file: undefined });
    const receiver = await slowReceiver();
    await closing(openStores(settings), async (stores) => {
      const hook = await makeHook(stores, receiver.url);
      const stop = writing(stores, hook.sequence);
      let nodes = await Promise.all([1, 2].map(() => start(temporaryFolder(), env)));
      await until(() => receiver.received.length > 10, "the first sends");
      const quiet = receiver.received.length;
      assert.equal(new Set(receiver.sequences().slice(0, quiet)).size, quiet, "sent twice without a fault");
      // One of two kills hits the one that sends.
      for (let round = 0; round < 2; round++) {
        const [first, ...others] = nodes;
        first?.child.kill("SIGKILL");
        const before = receiver.received.length;
        await until(() => receiver.received.length > before + 5, "another one sends", 20_000);
        nodes = [...others, await start(temporaryFolder(), env)];
      }
      const written = await stop();
      await checkAll(receiver, written, hook.secret);
    });
  });
});
