import type { Token } from "../../../client/src/api.ts";
import { say } from "../language/say.ts";
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

/** An entry, and the language in which it is looked at where the service has some. */
export type Previewed = { id: string; locale?: string | undefined };

/**
 * The address of a preview. The segments of the id are percent-encoded and its slashes stay: both a path and a query can
 * hold them (RFC 3986 §3.3, §3.4), so one form is right wherever the placeholder is.
 */
const previewLink = (template: string, { id, token, locale = "" }: Previewed & { token: string }): string => {
  const values: Record<string, string> = { id: encodeId(id), token: encodeURIComponent(token), locale };
  return template.replaceAll(/\{(id|token|locale)\}/g, (_, name: string) => values[name] ?? "");
};

const encodeId = (id: string): string => id.split("/").map(encodeURIComponent).join("/");

const shortest = previewLives[0] as Life;

/**
 * Makes a token with the resources of the session's token, which reads the entry as it is saved, and all below it; with a
 * release the site as it is once that is published.
 */
export async function makePreview(
  previewed: Previewed,
  template: string | undefined,
  life = shortest,
  release?: string,
): Promise<Preview> {
  const { id } = previewed;
  const sight = release === undefined ? { paths: [id] } : { release };
  const { token } = await octavo.tokens.previews.create({ ...sight, label: say("Preview"), expires_at: endOf(life) });
  return {
    token,
    api: `${location.origin}/api/entries?id=${encodeURIComponent(id)}`,
    link: template === undefined ? undefined : previewLink(template, { ...previewed, token }),
  };
}

/** The tokens of previews that are meant, the newest first. */
export const listPreviews = async (isMeant: (token: Token) => boolean): Promise<Token[]> =>
  (await octavo.tokens.previews.list())
    .filter((token) => isMeant(token) && !isOver(token.expires_at))
    .sort((one, other) => other.created_at - one.created_at);

/** Whether it previews this entry and no other. */
export const isOfEntry =
  (id: string) =>
  ({ paths, release }: Token): boolean =>
    release === undefined && paths?.length === 1 && paths[0] === id;

const isOver = (end: number | null): boolean => end !== null && end * 1000 <= Date.now();
