import { octavo } from "../api/octavo.ts";
import type { Connection } from "../model/clients.ts";

/** Makes the two tokens of an agent: it reads entries and files at and below the paths, of none all, and stages changes. */
export async function makeAgentTokens(label: string, paths: string[]): Promise<Omit<Connection, "url">> {
  const scope = { label, paths: paths.length > 0 ? paths : null };
  const { id, token } = await octavo.tokens.create({
    ...{ kind: "management", resources: ["entries", "files"], writes: "staged", ...scope },
  });
  try {
    const access = await octavo.tokens.create({ kind: "access", ...scope });
    return { token, accessToken: access.token };
  } catch (error) {
    // Nobody has seen its secret.
    await octavo.tokens.revoke(id);
    throw error;
  }
}
