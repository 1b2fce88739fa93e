import assert from "node:assert/strict";
import { before } from "node:test";
import { createClient, type Octavo, type OctavoProblem, type ProblemCode } from "../../client/src/client.ts";
import { useWorld, type World } from "../harness.ts";

/** A running service with clients; set before the tests of the file run. */
export type Clients = {
  world: World;
  /** With the management and access tokens. */
  manager: Octavo;
  /** With a delivery token. */
  visitor: Octavo;
  /** Without a token. */
  anonymous: Octavo;
};

/** Called at the top of a file. */
export function useClients(flags: Record<string, string> = {}): Clients {
  const clients = { world: useWorld(flags) } as Clients;
  before(async () => {
    await clients.world.ready;
    const { app, token } = clients.world;
    const { management, access, images, delivery } = token;
    clients.manager = createClient({ url: app.url, token: management, accessToken: access, imagesToken: images });
    clients.visitor = createClient({ url: app.url, token: delivery });
    clients.anonymous = createClient({ url: app.url });
  });
  return clients;
}

/** The problem that a call rejects with. Throws if the call succeeds or rejects with another error. */
export async function refusal(call: Promise<unknown>, code: ProblemCode): Promise<OctavoProblem> {
  const failure = await call.then(
    () => assert.fail(`expected ${code}, but the call succeeded`),
    (error: unknown) => error as OctavoProblem,
  );
  assert.equal(failure.name, "OctavoProblem", String(failure));
  assert.equal(failure.code, code);
  return failure;
}

/** All values of an async iterator. */
export async function gather<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A text file as a browser's file input has it. */
export const textFile = (name: string, text = name): File => new File([text], name, { type: "text/plain" });
