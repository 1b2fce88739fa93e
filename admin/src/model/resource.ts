import { say } from "../language/say.ts";

const words: Readonly<Record<string, string>> = {
  entries: say("entries"),
  files: say("files"),
  folders: say("folders"),
  registry: say("registry"),
  admin: say("admin"),
};

/** What a token is about, in a line. */
export const resourcesText = (resources: readonly string[]): string =>
  resources.map((name) => words[name] ?? name).join(", ");
