/** Uploads whose bodies are written by hand, and places that no other upload of the chapter uses. */
import assert from "node:assert/strict";
import type { Call } from "./client.ts";
import { fetchBytes, multipartOf, type Part, readFolder } from "./media.ts";
import { refused, type World } from "./world.ts";

export const MiB = 1024 * 1024;
export const boundary = "octavo-odd";
export const multipart = `multipart/form-data; boundary=${boundary}`;
/** Tokens that no service has. */
export const unknown = "oct_m_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
export const unknownAccess = "oct_a_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
export const bytesOf = (value: string | Uint8Array): Buffer => Buffer.from(value as string);

export type Sent = { token?: string; access_token?: string };
export const asHeaders = ({ token, access_token }: Sent): Record<string, string> => ({
  ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  ...(access_token === undefined ? {} : { "x-access-token": access_token }),
});
export const asParts = (sent: Sent): Part[] => Object.entries(sent).map(([name, value]) => ({ name, value }));

/** A file part whose Content-Disposition continues with these bytes. */
export function partBy(disposition: Buffer, value: string | Uint8Array, more = ""): Buffer {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; `;
  return Buffer.concat([bytesOf(head), disposition, bytesOf(`${more}\r\n\r\n`), bytesOf(value), bytesOf("\r\n")]);
}
export const field = (name: string, value: string, more = ""): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
/** The head of a file part and its first bytes: a parser may buffer a line break, which can begin a boundary. */
export const fileStart = (name: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\nthe file begins\n`;
export const filePart = (more: Partial<Part> = {}): Part => ({
  name: "file",
  filename: "a.txt",
  value: "text\n",
  ...more,
});
export const post = (parts: Part[], more: Partial<Call> = {}): Call => ({
  method: "POST",
  path: "/api/files",
  ...multipartOf(parts, boundary),
  ...more,
});

/** What depends on the chapter's service and folder. */
export function handOf(world: World) {
  const { pair } = world;
  const base = new URL(world.url);
  let made = 0;
  /** The name of an unused folder. */
  const fresh = (): string => `f${made++}`;
  /** The folder was not created, so it is empty. */
  async function nothingAt(folder: string): Promise<void> {
    refused(await readFolder(world, folder), 404, "folder_not_found");
  }
  const served = async (path: string): Promise<string> => {
    const reply = await fetchBytes(world, path);
    assert.equal(reply.status, 200, path);
    return reply.text;
  };
  const fieldsOf = (folder: string): string =>
    field("folder", world.id(folder)) + field("token", pair.token) + field("access_token", pair.access_token);
  /** An upload to a folder of the chapter with raw parts. */
  function byHand(folder: string, ...parts: (string | Buffer)[]): Call {
    const body = Buffer.concat([fieldsOf(folder), ...parts, `--${boundary}--\r\n`].map((part) => bytesOf(part)));
    return { method: "POST", path: "/api/files", body, type: multipart };
  }
  /** The head of an upload on a raw connection. `length` is the Content-Length; undefined sends chunks. */
  function headOf(length: number | undefined, headers: Record<string, string> = {}, path = "/api/files"): string {
    const framing = length === undefined ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`;
    const lines = Object.entries({ "Content-Type": multipart, ...headers }).map(([name, value]) => `${name}: ${value}`);
    return `POST ${path} HTTP/1.1\r\nHost: ${base.host}\r\n${framing}\r\n${lines.join("\r\n")}\r\n\r\n`;
  }
  const fields = (folder: string, without: string[] = []): Part[] =>
    Object.entries({ folder: world.id(folder), ...pair })
      .filter(([name]) => !without.includes(name))
      .map(([name, value]) => ({ name, value }));
  return { fresh, nothingAt, served, fieldsOf, byHand, headOf, fields };
}
