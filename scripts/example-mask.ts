import { hash } from "node:crypto";
import { sampleTokenId } from "../api-docs/example.ts";
import { firstRevision } from "../src/version/history-docs.ts";

/**
 * Replaces values that differ between runs by samples, so that recordings of the same replies are equal.
 */

/** The values that belong to one service. */
export type Own = { app: { url: string }; deliveryId: string; root: string };

/** The sample for the current time: 1 January 2026. */
const sampleNow = 1_767_225_600;
const dayMs = 24 * 3600 * 1000;

/** `trash_keep_days` of the sample site. */
const trashSeconds = 30 * 24 * 3600;
/** How long a preview token lasts. */
const previewSeconds = 7 * 24 * 3600;

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const linkCode = /#code=(invite|reset)-[\w-]{43}/g;
const challenge = /"challenge":"[\w-]{72}"/g;
/** The id of a person, as authenticators store it. */
const userHandle = /"user":\{"id":"[\w-]{48}"/g;
/** Each cursor of the feed of changes is another text. */
const feedCursor = /"cursor":"[\w-]+","has_more"/g;
const secret = /oct_([a-z])_[\w-]{43}/g;

/** Of an attempt to deliver: what a name that does not exist is, differs with the resolver. */
const attemptFigures: Record<string, number | string> = { duration_ms: 12, error: "ENOTFOUND" };

const webhookSecret = /whsec_[\w+/]{43}=/g;

/** Figures that differ between services. */
const figures: Record<string, number | string> = {
  version: "1.0.0",
  uptime_seconds: 86_400,
  store_bytes: 4_280_320,
  memory_bytes: 104_857_600,
  store_checked_at: sampleNow,
};

/** The JSON text of a reply with sample URLs, directories, ids, secrets, times and figures. */
export function mask(text: string, { app, deliveryId, root }: Own): string {
  const plain = text
    .replaceAll(app.url, "http://127.0.0.1:8080")
    .replaceAll(root, "/srv/octavo/uploads")
    .replaceAll(deliveryId, sampleTokenId)
    .replace(webhookSecret, `whsec_${Buffer.from("an example, shown once in a reply").toString("base64")}`)
    .replace(secret, (_, kind: string) => `oct_${kind}_${sampleSecret(kind)}`)
    .replace(challenge, `"challenge":"${sampleSecret("challenge")}"`)
    .replace(feedCursor, `"cursor":"${sampleSecret("cursor")}","has_more"`)
    .replace(userHandle, `"user":{"id":"${Buffer.from(sampleUuid(0)).toString("base64url")}"`)
    .replace(linkCode, (_, purpose: string) => `#code=${purpose}-${sampleSecret(purpose)}`);
  // Ids are replaced last, when everything is in a deterministic order.
  const ids = new Map([[sampleTokenId, sampleTokenId]]);
  return JSON.stringify(JSON.parse(plain, maskValue)).replace(uuid, (id) => {
    const known = ids.get(id) ?? sampleUuid(ids.size);
    ids.set(id, known);
    return known;
  });
}

/** A time near now as one near the sample's, to the hour. */
function maskMoment(value: number): number | undefined {
  const aheadMs = value * 1000 - Date.now();
  return Math.abs(aheadMs) < dayMs ? sampleNow + 3600 * Math.round(aheadMs / 3_600_000) : undefined;
}

/** Whether the object is the statistics of the service: a file has a version, too. */
function maskValue(this: object, key: string, value: unknown): unknown {
  if (isToken(this) && (key === "calls" || key === "last_used_at")) return key === "calls" ? 0 : null;
  const moment = typeof value === "number" ? maskMoment(value) : undefined;
  if (moment !== undefined) return moment;
  const lasts = "deleted_at" in this ? trashSeconds : "kind" in this && this.kind === "preview" ? previewSeconds : 0;
  if (key === "link_expires_at") return previewSeconds + (maskMoment(Number(value) - previewSeconds) ?? 0);
  if (key === "expires_at" && lasts > 0) return lasts + (maskMoment(Number(value) - lasts) ?? 0);
  if ("duration_ms" in this && key in attemptFigures) return value === null ? null : attemptFigures[key];
  if (key === "revision" && isOfSampleSite(this)) return firstRevision;
  if (key === "data" && Array.isArray(value)) return value.some(isToken) ? sorted(value) : value;
  return "uptime_seconds" in this && key in figures ? figures[key] : value;
}

/** A state that the sample site was filled with: its writes at the same time have revisions in any order. */
const isOfSampleSite = (value: object): boolean =>
  "replaced_at" in value && "actor" in value && value.actor === "octavo";

/** Call counts are written in batches, and tokens of the same second are sorted by their ids. */
const isToken = (value: unknown): value is { kind: string } =>
  typeof value === "object" && value !== null && "limit_calls" in value;
const sorted = (tokens: { kind: string }[]) => tokens.toSorted((a, b) => (a.kind < b.kind ? -1 : 1));

const sampleSecret = (kind: string): string => hash("sha256", `secret ${kind}`, "base64url").slice(0, 43);

/** The nth id of a reply: valid and deterministic. */
function sampleUuid(n: number): string {
  const hex = hash("sha256", `uuid ${n}`, "hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
