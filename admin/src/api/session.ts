import type { Session as LiveSession, Token } from "../../../client/src/api.ts";
import { nextCursor, request, setCsrfToken } from "./request.ts";
import type { Resource } from "./token.ts";

export type { LiveSession };

/** The session of this page. */
export type Session = {
  id: string;
  expires_at: number;
  csrf_token: string;
  token: Token;
  access_token_id: string;
};

const url = "/admin/session";

/** The current session, or null. */
export const readSession = async (): Promise<Session | null> => taken(await request<Session | null>("GET", url));

export const signIn = async (token: string, accessToken: string): Promise<Session> =>
  taken(await request<Session>("POST", url, { body: { token, access_token: accessToken } }));

export const signInByLink = async (code: string): Promise<Session> =>
  taken(await request<Session>("POST", `${url}/link`, { body: { code } }));

export async function signOut(): Promise<void> {
  await request("DELETE", url);
}

export type SessionPage = { sessions: LiveSession[]; next: string | undefined };

/** All live sessions, newest first. */
export async function listSessions(cursor?: string): Promise<SessionPage> {
  const { data, headers } = await request<LiveSession[]>("GET", "/api/sessions", { query: { cursor } });
  return { sessions: data, next: nextCursor(headers) };
}

export const endSession = async (id: string): Promise<void> =>
  void (await request("DELETE", "/api/sessions", { body: { id } }));

function taken<T extends Session | null>({ data }: { data: T }): T {
  setCsrfToken(data?.csrf_token ?? "");
  return data;
}

/** True for the two tokens of this session. */
export const isOwn = (session: Session, { id }: Token): boolean =>
  id === session.token.id || id === session.access_token_id;

/** True when the session's token has the resource. */
export const may = (session: Session, resource: Resource): boolean => session.token.resources.includes(resource);
