import { lookup } from "node:dns/promises";

const withinMs = 3000;

/** All addresses of a name, as the system resolves it. Rejects when it has none, or does not resolve within three seconds. */
export async function resolveName(host: string): Promise<string[]> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("the name was not resolved in time")), withinMs);
  try {
    const found = await Promise.race([lookup(host, { all: true }), promise]);
    return found.map(({ address }) => address);
  } finally {
    clearTimeout(timer);
  }
}
