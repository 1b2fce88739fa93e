import type { Token, TokenWithSecret } from "../../../client/src/api.ts";
import type { JsonObject } from "./json.ts";
import { request } from "./request.ts";

export type TokenKind = Token["kind"];
export type Resource = Token["resources"][number];

const url = "/api/tokens";

export const listTokens = async (): Promise<Token[]> => (await request<Token[]>("GET", url)).data;

export const createToken = async (input: JsonObject): Promise<TokenWithSecret> =>
  (await request<TokenWithSecret>("POST", url, { body: input })).data;

export const updateToken = async (id: string, change: JsonObject): Promise<Token> =>
  (await request<Token>("PATCH", url, { body: { id, ...change } })).data;

export const rotateToken = async (id: string): Promise<TokenWithSecret> =>
  (await request<TokenWithSecret>("PUT", `${url}/rotate`, { body: { id } })).data;

export const revokeToken = async (id: string): Promise<void> => void (await request("DELETE", url, { body: { id } }));

/** What a kind of token can have. */
export const resourcesOf = (kind: TokenKind): Resource[] => {
  const content: Resource[] = ["entries", "files", "folders", "registry"];
  if (kind === "management") return [...content, "admin"];
  return kind === "delivery" ? content : [];
};
