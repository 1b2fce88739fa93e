import { createHash } from "node:crypto";
import { build } from "../../src/app.ts";
import type { BucketOptions } from "../../src/core/bytes/s3/bucket.ts";
import { readSettings, type Settings } from "../../src/settings.ts";
import { bucketEnv } from "../s3-server.ts";

/** The location of a store: a data folder, with or without a PostgreSQL database and a bucket. */
export type Place = { data: string; postgresUrl?: string; bucket?: BucketOptions };
export type Secrets = { management: string; access: string };

/** The settings of a location for the command line. */
export const envOf = ({ data, postgresUrl, bucket }: Place): Record<string, string> => ({
  OCTAVO_DATA: data,
  ...(postgresUrl ? { OCTAVO_POSTGRES_URL: postgresUrl } : {}),
  ...(bucket ? bucketEnv(bucket) : {}),
});

/** The settings of a location for a service in this process, whose URLs do not depend on its port. */
export const settingsOf = (place: Place): Settings =>
  readSettings({
    flags: { port: "0", log: "off", "public-url": "http://site.test" },
    env: envOf(place),
    file: undefined,
  });

/**
 * Every reply of the service by its URL, with its ETag: single entries and filters, folders, files with their bytes,
 * registry, tokens, events. The call counts of tokens, and the ETag over them, are omitted: reading changes them.
 */
export async function answersOf(place: Place, { management }: Secrets): Promise<Map<string, string>> {
  const app = await build(settingsOf(place));
  const answers = new Map<string, string>();
  const ask = async (path: string, query: Record<string, string> = {}): Promise<Item[]> => {
    const address = `${path}?${new URLSearchParams(query)}`;
    const reply = await fetch(`${app.url}${address}&token=${management}`);
    const bytes = Buffer.from(await reply.arrayBuffer());
    const isJson = /json/.test(reply.headers.get("content-type") ?? "");
    const text = isJson ? withoutCalls(bytes.toString()) : createHash("sha256").update(bytes).digest("hex");
    const tag = path === "/api/tokens" ? "" : reply.headers.get("etag");
    answers.set(address, [reply.status, tag, reply.headers.get("last-modified"), text].join("\n"));
    return reply.ok && isJson ? Object.values(JSON.parse(text).data) : [];
  };
  try {
    await askAll(ask);
  } finally {
    await app.close();
  }
  return answers;
}

type Item = Record<string, string>;
type Ask = (path: string, query?: Record<string, string>) => Promise<Item[]>;

const everything = { id: "", "filter[depth]": "*", "filter[limit]": "1000" };
const allBelow = { path: "", "options[collection]": "true", "options[filter][depth]": "*" };
const filters: Record<string, string>[] = [
  { "filter[where][key]": "n", "filter[where][expr]": "lt", "filter[where][value]": "40" },
  { "filter[where][key]": "tags", "filter[where][expr]": "eq", "filter[where][value]": "é" },
  { "filter[where][key]": "deep.text", "filter[where][expr]": "starts_with", "filter[where][value]": "x" },
  { "filter[order_by][field]": "n", "filter[order_by][direction]": "desc" },
];

async function askAll(ask: Ask): Promise<void> {
  for (const { slug = "" } of await ask("/api/management/entries", everything)) {
    await ask("/api/management/entries", { id: slug });
    for (const { revision = "" } of await ask("/api/entries/history", { id: slug }))
      await ask("/api/management/entries", { id: slug, revision });
  }
  for (const filter of filters) await ask("/api/management/entries", { ...everything, ...filter });
  await ask("/api/folders", allBelow);
  for (const { url = "" } of await ask("/api/files", allBelow)) {
    const path = decodeURIComponent(url.replace("project/uploads/", ""));
    await ask("/api/files", { path });
    await ask(`/${url}`);
    for (const { revision = "" } of await ask("/api/files/history", { path })) {
      await ask("/api/files/history/state", { path, revision });
      await ask("/api/files/history/bytes", { path, revision });
    }
  }
  for (const id of ["site", "numbers"]) await ask("/api/registry", { id });
  await ask("/api/registry/history", { id: "site.title" });
  await ask("/api/trash");
  await ask("/api/tokens");
  await ask("/api/events", { limit: "1000" });
}

const withoutCalls = (text: string): string => text.replace(/"(calls|last_used_at)":(\d+|null)/g, '"$1":0');
