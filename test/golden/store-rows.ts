import { TarReader } from "../../src/backup/tar/backup.ts";
import { type Mask, uuids } from "./store-site.ts";

/** The rows of a backup by their noun, as lines that do not depend on ids that are made by chance, nor on their order. */
export async function rowsOf(file: string, chapter: string, mask: Mask): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for await (const { name, bytes } of new TarReader(file).members()) {
    const noun = /^rows\/(\w+)-/.exec(name)?.[1];
    const text = Buffer.concat(await Array.fromAsync(bytes)).toString();
    if (noun) texts.set(noun, (texts.get(noun) ?? "") + text);
  }
  return new Map([...texts].map(([noun, text]) => [`${chapter}${noun}`, mask(sorted(withoutSecrets(text)))]));
}

/** By what they say beside ids. */
function sorted(text: string): string {
  const lines = text.split("\n").filter(Boolean);
  const keyed = lines.map((line) => [line.replace(uuids, ""), line] as const);
  return keyed
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, line]) => line)
    .join("\n");
}

/** Secrets are made by chance, also by migrations. */
const withoutSecrets = (text: string): string =>
  text
    .replace(/"hash":"[0-9a-f]{64}"/g, '"hash":"<hash>"')
    .replace(/("signing_key","value"):"[0-9a-f]+"/g, '$1:"<key>"');
