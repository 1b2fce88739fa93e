import type { Site } from "./octavo.ts";

const everyMs = 2000;

/**
 * Keeps all public entries in step, and calls back after each change of them. In German, which falls back to English: so a
 * change in either language is one. Resolves when they have been read once; after a time without the service it goes on by
 * itself.
 */
export async function followContent(site: Site, onChange: () => void): Promise<void> {
  let isRead = false;
  await site.mirror({ locale: "de", everyMs, onChange: () => isRead && onChange() });
  isRead = true;
}
