import type { IncomingHttpHeaders } from "node:http";
import { problem } from "../problem.ts";
import { type Body, emptyBody } from "./body.ts";
import type { Route } from "./route.ts";

/** The arguments of an upload in the header of tus: `key base64, key base64`. Contract, part three, §16. */

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The arguments of the route in `Upload-Metadata` as a body. Clients of tus also send keys of their own there (`filetype`,
 * `relativePath`), which are left out. Throws argument_invalid, argument_repeated, text_invalid.
 */
export function metadataBody(headers: IncomingHttpHeaders, { arguments: taken }: Pick<Route, "arguments">): Body {
  const sent = [...parseMetadata(String(headers["upload-metadata"] ?? ""))];
  const known = sent.filter(([key]) => Object.hasOwn(taken, key));
  return { ...emptyBody, arguments: new Map(known.map(([key, value]) => [key, textOf(key, value)])), isText: true };
}

/** The values as sent: those of other keys may be any bytes. */
function parseMetadata(header: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const pair of header.trim() === "" ? [] : header.split(",")) {
    const [key = "", value = "", ...more] = pair.trim().split(/ +/);
    if (!/^[!-~]+$/.test(key) || !base64.test(value) || more.length > 0) throw invalid(pair.trim());
    if (fields.has(key)) throw problem("argument_repeated", { argument: key });
    fields.set(key, value);
  }
  return fields;
}

function textOf(key: string, value: string): string {
  try {
    const text = utf8.decode(Buffer.from(value, "base64"));
    if (!text.includes("\0")) return text;
  } catch {}
  throw problem("text_invalid", { argument: key, rule: "bytes that are not UTF-8, or U+0000" });
}

const invalid = (received: string) =>
  problem("argument_invalid", {
    argument: "Upload-Metadata",
    received,
    accepted: "pairs of a key and its value in base64, separated by commas",
  });
