import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { readAccept } from "../lib/accept.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import { Memo } from "../lib/memo.ts";
import type { Call } from "./call.ts";
import { type Answer, tagOf } from "./reply.ts";
import { type Route, route } from "./route.ts";

/** Shared parts of the pages that the service serves to people: /admin and /docs. */

export const htmlType = "text/html; charset=utf-8";
export const htmlHeaders = ["X-Frame-Options", "DENY", "Cross-Origin-Opener-Policy", "same-origin"];

/** Text as HTML, in an element or an attribute in double quotes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** A route without authentication and arguments. */
export const openRoute = (url: string, summary: string, handle: (call: Call) => MaybePromise<Answer>): Route =>
  route({ method: "GET", url, summary, arguments: {}, unknown: "ignored", problems: [], handle });

/** A file of assets/docs. */
export const docsFile = (name: string): Buffer =>
  readFileSync(new URL(`../../../assets/docs/${name}`, import.meta.url));

/** A file whose URL changes with its bytes: cached forever. */
export const hashedAsset = (body: Buffer, contentType: string): Answer =>
  asset(body, contentType, "public, max-age=31536000, immutable");

/** A file whose address stays when its bytes change: cached for an hour. */
export const namedAsset = (body: Buffer, contentType: string): Answer =>
  asset(body, contentType, "public, max-age=3600");

const asset = (body: Buffer, contentType: string, cacheControl: string): Answer => ({
  status: 200,
  body,
  contentType,
  tag: tagOf(body),
  cacheControl,
  coded: {},
});

/** A placeholder for the service's own address in the files that the build makes. */
export const anyAddress = "http://address.invalid";
/** More names than a service is reached by. The cache is emptied at this size, so made-up names cost no memory. */
const maxAddresses = 8;

/**
 * Answers with a text in which the placeholder is the service's own address: the public one, or the one the client
 * used, which makes the reply private. Throws host_invalid. Contract §5.
 */
export function namingAddress(
  publicUrl: string | undefined,
  text: string,
  toAnswer: (text: string) => Answer,
): (call: Call) => Answer {
  if (publicUrl !== undefined || !text.includes(anyAddress)) {
    const answer = toAnswer(text.replaceAll(anyAddress, publicUrl ?? ""));
    return () => answer;
  }
  const known = new Memo<string, Answer>(maxAddresses);
  return (call) => {
    const base = call.origin();
    return known.get(base, () => {
      const answer = toAnswer(text.replaceAll(anyAddress, base));
      return { ...answer, cacheControl: answer.cacheControl.replace("public", "private") };
    });
  };
}

/**
 * A page whose scripts are allowed by nonce only. In `html`, `octavo-nonce` marks where each reply inserts a new one
 * (see admin/vite.config.ts and assets/docs/try.html); `policy` is the Content-Security-Policy with it.
 */
export function noncePage(html: string, policy: (nonce: string) => string, headers: readonly string[]): Answer {
  const nonce = randomBytes(16).toString("base64url");
  return {
    status: 200,
    body: html.replaceAll("octavo-nonce", nonce),
    contentType: htmlType,
    // A nonce is valid for one reply; the page is small, and what it loads is cached.
    cacheControl: "no-store",
    headers: ["Content-Security-Policy", policy(nonce), ...headers],
  };
}

/** True when Accept names text/html and does not prefer JSON. Other clients send no Accept, or accept any type. */
export function isBrowser(accept: string | undefined): boolean {
  const accepted = readAccept(accept);
  const weight = accepted.weightOf("text/html");
  return accepted.names("text/html") && weight > 0 && weight >= accepted.weightOf("application/json");
}
