import type { Token } from "../../../client/src/api.ts";

export type TokenKind = Token["kind"];
export type Resource = Token["resources"][number];

/** What a kind of token can have. */
export const resourcesOf = (kind: TokenKind): Resource[] => {
  const content: Resource[] = ["entries", "files", "folders", "registry"];
  if (kind === "management") return [...content, "admin"];
  return kind === "delivery" ? content : [];
};
