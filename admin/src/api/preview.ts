import type { Token } from "../../../client/src/api.ts";
import { octavo } from "./octavo.ts";
import { endOf, type Life, previewLives } from "./token.ts";

/** A preview of one entry: what a reader of it needs. */
export type Preview = {
  token: string;
  /** The entry at the API. */
  api: string;
  /** The site's address of the preview; undefined when the service has no `preview_url`. */
  link: string | undefined;
};

/**
 * The address of a preview. The segments of the id are percent-encoded and its slashes stay: both a path and a query can
 * hold them (RFC 3986 §3.3, §3.4), so one form is right wherever the placeholder is.
 */
const previewLink = (template: string, id: string, token: string): string => {
  const values: Record<string, string> = { id: encodeId(id), token: encodeURIComponent(token) };
  return template.replaceAll(/\{(id|token)\}/g, (_, name: string) => values[name] ?? "");
};

const encodeId = (id: string): string => id.split("/").map(encodeURIComponent).join("/");

const shortest = previewLives[0] as Life;

/** Makes a token that reads the entry as it is saved, and all below it, with the resources of the session's token. */
export async function makePreview(id: string, template: string | undefined, life = shortest): Promise<Preview> {
  const { token } = await octavo.tokens.previews.create({ paths: [id], label: "Preview", expires_at: endOf(life) });
  return {
    token,
    api: `${location.origin}/api/entries?id=${encodeURIComponent(id)}`,
    link: template === undefined ? undefined : previewLink(template, id, token),
  };
}

/** The tokens that preview this entry and no other, the newest first. */
export const listPreviews = async (id: string): Promise<Token[]> =>
  (await octavo.tokens.previews.list())
    .filter(({ paths, expires_at: end }) => paths?.length === 1 && paths[0] === id && !isOver(end))
    .sort((one, other) => other.created_at - one.created_at);

const isOver = (end: number | null): boolean => end !== null && end * 1000 <= Date.now();
