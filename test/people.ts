import assert from "node:assert/strict";
import type { Reply, SendOptions, World } from "./harness.ts";

/** People over HTTP, as a browser, an owner and a stranger see them. */

export const good = "a quiet harbour at noon";

export type Shown = { id: string; name: string; email: string; role: string; state: string; link: string } & {
  issuer: string | null;
  subject: string | null;
};
export type SignedIn = { id: string; cookie: string; csrf: string };
/** What `peopleOf` needs of a world. */
type Service = Pick<World, "send" | "token">;

export function refused(reply: Reply, status: number, code: string): void {
  assert.equal(reply.status, status, reply.text);
  assert.equal(reply.json.code, code);
}

export function signedIn(reply: Reply): SignedIn {
  assert.equal(reply.status, 200, reply.text);
  const cookie = reply.headers.get("set-cookie")?.split(";", 1)[0] as string;
  const { id, csrf_token: csrf } = reply.json.data as { id: string; csrf_token: string };
  return { id, cookie, csrf };
}

export const codeOf = ({ link }: Pick<Shown, "link">): string => new URL(link).hash.replace("#code=", "");

let lastEmail = 0;
export const newEmail = (): string => `somebody-${++lastEmail}@example.org`;

/** The calls of people on one service, which may not have started yet. */
export function peopleOf(service: Service) {
  const manage = (method: string, path: string, args: object = {}): Promise<Reply> => {
    const { management: token, access: access_token } = service.token;
    return method === "GET"
      ? service.send(method, path, { query: { ...args, token } })
      : service.send(method, path, { body: { token, access_token, ...args } });
  };
  const invite = async (role: string, email = newEmail()): Promise<Shown> => {
    const reply = await manage("POST", "/api/people", { email, role });
    assert.equal(reply.status, 200, reply.text);
    return reply.json.data as Shown;
  };
  const join = (code: string, form: object = { name: "Ada", password: good }, headers: Record<string, string> = {}) =>
    service.send("POST", "/admin/session/link", { body: { code, ...form }, headers });
  const personOf = async (role: string, email?: string): Promise<{ person: Shown; session: SignedIn }> => {
    const person = await invite(role, email);
    return { person, session: signedIn(await join(codeOf(person))) };
  };
  const send = (session: SignedIn, method: string, path: string, options: SendOptions = {}): Promise<Reply> =>
    service.send(method, path, {
      ...options,
      headers: {
        ...{ "Sec-Fetch-Site": "same-origin", Cookie: session.cookie },
        ...(method === "GET" ? {} : { "X-CSRF-Token": session.csrf }),
        ...options.headers,
      },
    });
  const signIn = (email: string, password = good, headers: Record<string, string> = {}): Promise<Reply> =>
    service.send("POST", "/admin/session", { body: { email, password }, headers });
  const isIn = async (session: SignedIn): Promise<boolean> =>
    (await send(session, "GET", "/api/people/me")).status === 200;
  return { manage, invite, join, personOf, send, signIn, isIn };
}
