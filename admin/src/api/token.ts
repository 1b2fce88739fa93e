import type { JsonObject } from "./json.ts";
import { request } from "./request.ts";

export const tokenKinds = ["delivery", "management", "images", "access"] as const;
export type TokenKind = (typeof tokenKinds)[number];

export type Token = {
  id: string;
  kind: TokenKind;
  resources: string[];
  label: string;
  environment: string;
  state: "enabled" | "disabled";
  limit_calls: number;
  calls: number;
  expires_at: number | null;
  created_at: number;
  last_used_at: number | null;
};
/** `token` is the secret: answered when it is made, and never again. */
export type NewToken = Token & { token: string };

const url = "/api/tokens";

export const listTokens = async (): Promise<Token[]> => (await request<Token[]>("GET", url)).data;

export const createToken = async (input: JsonObject): Promise<NewToken> =>
  (await request<NewToken>("POST", url, { body: input })).data;

export const updateToken = async (id: string, change: JsonObject): Promise<Token> =>
  (await request<Token>("PATCH", url, { body: { id, ...change } })).data;

export const rotateToken = async (id: string): Promise<NewToken> =>
  (await request<NewToken>("PUT", `${url}/rotate`, { body: { id } })).data;

export const revokeToken = async (id: string): Promise<void> => void (await request("DELETE", url, { body: { id } }));

/** What a kind of token can have. */
export const resourcesOf = (kind: TokenKind): string[] => {
  const content = ["entries", "files", "folders", "registry"];
  if (kind === "management") return [...content, "admin"];
  return kind === "delivery" ? content : [];
};
