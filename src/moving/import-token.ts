import { plainToken } from "../core/access/plain-token.ts";
import { checkSecret, checkTokenTexts, isWeakSecret, maxTokenTextLength, type Token } from "../core/access/token.ts";
import type { JsonObject } from "../core/lib/json.ts";
import { parseTime } from "../core/lib/time.ts";
import { type Note, NotImported, yamlFields } from "./import-entry.ts";

/** Tokens of the original, which keep their own text. Contract §2. */

/** A family of tokens: a folder below `tokens/`, and what its tokens open here. */
type Family = Pick<Token, "kind" | "resources">;

/**
 * Up to 0.9.8 there were tokens for delivery and for management. Later ones read and, with an access token, write: as
 * management tokens they do the same here. They see drafts, as they did.
 */
const families: Readonly<Record<string, Family>> = {
  "delivery/entries": { kind: "delivery", resources: ["entries"] },
  "delivery/registry": { kind: "delivery", resources: ["registry"] },
  "delivery/images": { kind: "images", resources: [] },
  "management/entries": { kind: "management", resources: ["entries"] },
  entries: { kind: "management", resources: ["entries"] },
  registry: { kind: "delivery", resources: ["registry"] },
  images: { kind: "images", resources: [] },
  files: { kind: "management", resources: ["files"] },
  folders: { kind: "management", resources: ["folders"] },
  "media/files": { kind: "management", resources: ["files"] },
  "media/folders": { kind: "management", resources: ["folders"] },
  access: { kind: "access", resources: [] },
};

/** A file `<family>/<secret>/token.yaml` below `tokens/`; undefined for any other. */
export function tokenPlace(path: string): { family: string; secret: string } | undefined {
  const found = /^(.+)\/([^/]+)\/token\.(?:yaml|yml)$/.exec(path);
  const [, family = "", secret = ""] = found ?? [];
  return Object.hasOwn(families, family) ? { family, secret } : undefined;
}

/** `from` names the token without its secret. */
export type ReadToken = { from: string; secret: string; token: Omit<Token, "id">; notes: Note[] };

const known = new Set([
  "title",
  "icon",
  "limit_calls",
  "calls",
  "state",
  "uuid",
  "created_at",
  "created_by",
  "updated_at",
  "updated_by",
]);

/** Said of a text that is kept. */
export const weakText: Note = "its text is weak and can be guessed: rotate the token soon";

/** Reads the file of a token. Throws NotImported, without the secret. */
export function readToken(
  family: string,
  secret: string,
  bytes: Uint8Array,
  nowSeconds: number,
): Omit<ReadToken, "from"> {
  const fields = yamlFields(bytes, "the file");
  try {
    checkSecret("the token", secret);
  } catch {
    throw new NotImported("its text is not accepted: white space, or characters beyond ASCII");
  }
  const notes: Note[] = [...fields.keys()].filter((key) => !known.has(key)).map((key) => `the field ${key} is unknown`);
  if (isWeakSecret(secret)) notes.push(weakText);
  const { title, state, created_at: created } = Object.fromEntries(fields);
  const label =
    typeof title === "string"
      ? title
          .replace(/[\u0000-\u001f\u007f]+/g, " ")
          .slice(0, maxTokenTextLength)
          .toWellFormed()
      : "";
  if (label !== (title ?? "")) notes.push("its title is shortened to one line");
  const createdAt = typeof created === "string" || typeof created === "number" ? parseTime(created) : undefined;
  const { kind, resources } = families[family] as Family;
  const token: ReadToken["token"] = {
    ...plainToken,
    kind,
    resources,
    label,
    // Anything but this word was refused by no release, so that only it disables.
    state: state === "disabled" ? "disabled" : "enabled",
    limitCalls: countOf(fields, "limit_calls", notes),
    calls: countOf(fields, "calls", notes),
    createdAt: Math.min(Math.max(createdAt ?? nowSeconds, 0), nowSeconds),
  };
  return { secret, token: checkTokenTexts(token), notes };
}

/** A number of calls. A limit that cannot be read is refused: the token must not become one without a limit. */
function countOf(fields: JsonObject, key: string, notes: Note[]): number {
  const value = fields.get(key) ?? 0;
  const count = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof count === "number" && Number.isSafeInteger(count) && count >= 0) return count;
  if (key === "limit_calls") throw new NotImported("its limit_calls is no number");
  notes.push(`${key} is no number: it starts at 0`);
  return 0;
}

/**
 * One token for the same text in several families of a kind; the smaller limit and the larger count hold. Throws
 * NotImported where their kinds differ, since a text has one kind here.
 */
export function mergedToken(one: ReadToken, other: Omit<ReadToken, "from">): ReadToken {
  const [a, b] = [one.token, other.token];
  if (a.kind !== b.kind) {
    throw new NotImported(
      `${one.from} has the same text, as a token of the kind ${a.kind}: create another for this one`,
    );
  }
  const limits = [a.limitCalls, b.limitCalls].filter((limit) => limit > 0);
  const token = {
    ...a,
    resources: [...new Set([...a.resources, ...b.resources])],
    state: a.state === "enabled" && b.state === "enabled" ? a.state : ("disabled" as const),
    limitCalls: limits.length > 0 ? Math.min(...limits) : 0,
    calls: Math.max(a.calls, b.calls),
  };
  const differs = a.limitCalls !== b.limitCalls || a.state !== b.state;
  const notes = differs ? ["one text in several families: the stricter limit and state hold for all"] : [];
  return { ...one, token, notes: [...one.notes, ...other.notes, ...notes] };
}
