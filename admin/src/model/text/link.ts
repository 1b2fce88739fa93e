import { nameOf } from "../../api/path.ts";

/** Links of Markdown. One to an entry is its id with a slash before it: `/blog/first`. Contract, part two, §10. */

export type LinkTarget = { entry: string; title?: string } | { file: string; title: string } | { address: string };

/** What would end the address, or begin another part of it. */
const special = /[\s%?#()<>\\^`{|}"]/g;

const hex = (sign: string): string =>
  [...new TextEncoder().encode(sign)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");

export const entryUrl = (id: string): string => `/${id.replace(special, hex)}`;

/** What would end the address, or the cell of a table that it is in. */
const inWay = /[()<>|]/g;

/** A typed address; undefined for a text that is none. */
export function addressOf(text: string): string | undefined {
  if (/^(?:https?:\/\/|mailto:|tel:|\/|#)\S+$/i.test(text)) return text.replace(inWay, hex);
  if (/^[^\s@/]+@[^\s@/]+\.[a-z]{2,}$/i.test(text)) return `mailto:${text}`;
  if (
    /^(?:[a-z0-9-]+\.)+[a-z]{2,}(?:[/?#]\S*)?$/i.test(text) &&
    !/\.(?:md|txt|pdf|jpe?g|png|webp|svg|zip)$/i.test(text)
  )
    return `https://${text.replace(inWay, hex)}`;
  return undefined;
}

export const wordsOf = (target: LinkTarget): string =>
  "address" in target
    ? target.address.replace(/^(?:https?:\/\/|mailto:|tel:)/, "")
    : (target.title ?? nameOf("entry" in target ? target.entry : target.file));
