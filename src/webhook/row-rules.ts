import { checkTokenText, formatTokenPaths, parseTokenPaths, readTokenPaths } from "../core/access/token.ts";
import {
  anyTime,
  type BackupRow,
  count,
  flag,
  id,
  oneOf,
  orNull,
  refused,
  secret,
  size,
  text,
  time,
} from "../core/row-column.ts";
import { parseWebhookUrl } from "./address.ts";
import { formatKinds, parseKinds, readKinds, webhookStates } from "./webhook.ts";

/** The rules of the rows of webhooks: see core/row.ts. */

const sealed = secret((value) => /^[\w-]{100,300}$/.test(value), "a sealed secret");

export const webhookRule = {
  noun: "webhook",
  columns: {
    id,
    url: text,
    label: text,
    kinds: text,
    paths: text,
    state: oneOf(webhookStates),
    secret: sealed,
    old_secret: orNull(sealed),
    old_secret_until: orNull(anyTime),
    sequence: count,
    has_gap: flag,
    attempts: size,
    failing_since: orNull(time),
    next_at: orNull(anyTime),
    created_at: time,
  },
  whole: checkWebhook,
  key: ({ id }: BackupRow) => id,
};

/** Throws argument_invalid, path_invalid. A newer version may have had kinds that this one does not know. */
function checkWebhook({ url, label, kinds, paths, old_secret, old_secret_until }: BackupRow): void {
  // As if private addresses were accepted: they were when it was made.
  if (parseWebhookUrl(String(url), true).href !== url) throw refused("url", url, "an address in its stored form");
  checkTokenText("label", String(label));
  if (formatKinds(parseKinds(readKinds(String(kinds)))) !== kinds) throw refused("kinds", kinds, "kinds, each once");
  if (formatTokenPaths(parseTokenPaths(readTokenPaths(String(paths)))) !== paths)
    throw refused("paths", paths, "paths, each once");
  if ((old_secret === null) !== (old_secret_until === null))
    throw refused("old_secret", "another text", "a secret with its end, or neither");
}
