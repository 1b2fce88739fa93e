import assert from "node:assert/strict";
import { before } from "node:test";
import { createClient, type Octavo, type OctavoProblem, type ProblemCode } from "../../client/src/client.ts";
import { useWorld, type World } from "../harness.ts";

/** A running service with clients of it; filled in when the tests of the file run. */
export type Clients = {
  world: World;
  /** May do everything. */
  manager: Octavo;
  /** May read what is public. */
  visitor: Octavo;
  /** Has no token. */
  stranger: Octavo;
};

/** To be called at the top of a file. */
export function useClients(flags: Record<string, string> = {}): Clients {
  const clients = { world: useWorld(flags) } as Clients;
  before(async () => {
    await clients.world.ready;
    const { app, token } = clients.world;
    const { management, access, images, delivery } = token;
    clients.manager = createClient({ url: app.url, token: management, accessToken: access, imagesToken: images });
    clients.visitor = createClient({ url: app.url, token: delivery });
    clients.stranger = createClient({ url: app.url });
  });
  return clients;
}

/** The problem a call is refused with; fails when it is done, or fails in another way. */
export async function refusal(call: Promise<unknown>, code: ProblemCode): Promise<OctavoProblem> {
  const failure = await call.then(
    () => assert.fail(`expected ${code}, but it was done`),
    (error: unknown) => error as OctavoProblem,
  );
  assert.equal(failure.name, "OctavoProblem", String(failure));
  assert.equal(failure.code, code);
  return failure;
}

/** All that a generator gives. */
export async function gather<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A text file as a browser would hand it over. */
export const textFile = (name: string, text = name): File => new File([text], name, { type: "text/plain" });
