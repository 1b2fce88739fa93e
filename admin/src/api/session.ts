import type { Person, Role, Token } from "../../../client/src/api.ts";
import { octavo, setCsrfToken } from "./octavo.ts";
import { makePasskey, provePasskey } from "./passkey.ts";
import type { Resource } from "./token.ts";

/** Who is signed in, and what he may do: a management token, or a person with a role in the form of one. */
type Holder = Pick<Token, "id" | "label" | "resources" | "paths" | "locales"> & { writes?: Role["writes"] | undefined };

/** The session of this page. */
export type Session = {
  id: string;
  expires_at: number;
  csrf_token: string;
  token: Holder;
  /** Absent for a person. */
  access_token_id?: string;
  person?: Person;
  role?: Role;
  /** How long deleted items are kept; 0 deletes them for good. */
  trash_keep_days: number;
  /** The largest file that is accepted. */
  upload_max_bytes?: number;
  /** The locales of the service, the source first; null where there are none. */
  locales: readonly string[] | null;
  /** Where a site shows an entry that is not published, with {id} and {token}; absent when there is no such site. */
  preview_url?: string;
  /** Where a site shows an entry, with {id}; absent when nobody has said so. */
  site_url?: string;
  /** Where agents are answered, below this origin where it has no other; absent when they are not. */
  mcp_url?: string;
};

const path = "/admin/session";

/** The current session, or null. */
export const readSession = async (): Promise<Session | null> =>
  taken(await octavo.request<Session | null>(`GET ${path}`));

export const signIn = async (token: string, accessToken: string): Promise<Session> =>
  taken(await octavo.request<Session>(`POST ${path}`, { token, access_token: accessToken }));

export const signInAs = async (email: string, password: string): Promise<Session> =>
  taken(await octavo.request<Session>(`POST ${path}`, { email, password }));

export const signInByLink = async (code: string, form: object = {}): Promise<Session> =>
  taken(await octavo.request<Session>(`POST ${path}/link`, { code, ...form }));

/** Of an invitation or a reset: whose it is, for which site, and who made it, where that is known. */
export type LinkFacts = { email: string; site: string | null; invited_by: { name: string; email: string } | null };

export const readLink = async (code: string): Promise<LinkFacts> =>
  (await octavo.request<LinkFacts>(`POST ${path}/link/about`, { code })).data;

export async function signInByPasskey(): Promise<Session> {
  const { data: options } = await octavo.request<object>(`POST ${path}/passkey/options`);
  return taken(await octavo.request<Session>(`POST ${path}/passkey`, { passkey: await provePasskey(options) }));
}

/** Accepts a link with a new passkey in place of a password. */
export async function joinByPasskey(code: string, form: { name?: string; email?: string }): Promise<Session> {
  const { data: options } = await octavo.request<object>(`POST ${path}/passkey/options`, { code, ...form });
  return signInByLink(code, { ...form, passkey: await makePasskey(options) });
}

export const signOut = async (): Promise<void> => void (await octavo.request(`DELETE ${path}`));

let keepDays = 0;
let resources: readonly Resource[] = [];
let isPerson = false;

/** Whether deleted things are kept for a time. */
export const hasTrash = (): boolean => keepDays > 0;

/** Whether the token of the present session has the resource; components use `useMay`. */
export const mayUse = (resource: Resource): boolean => resources.includes(resource);

/** Whether a person is signed in, with a role; otherwise tokens are. */
export const isByName = (): boolean => isPerson;

/** The rights of a person as those of a token. */
function holderOf({ token, person, role }: Session): Holder {
  if (!person || !role) return token;
  const { resources, paths, writes, locales } = role;
  const limits = { ...(paths && { paths }), ...(locales && { locales }) };
  return { id: `person:${person.id}`, label: person.name, resources, writes, ...limits };
}

function taken<T extends Session | null>({ data: sent }: { data: T }): T {
  const data = sent && { ...sent, token: holderOf(sent) };
  setCsrfToken(data?.csrf_token ?? "");
  // The page was perhaps opened before there was anybody.
  if (data?.person) document.documentElement.dataset.people = "";
  keepDays = data?.trash_keep_days ?? keepDays;
  resources = data?.token.resources ?? resources;
  isPerson = data ? data.person !== undefined : isPerson;
  return data;
}

/** True for the two tokens of this session. */
export const isOwn = (session: Session, { id }: Token): boolean =>
  id === session.token.id || id === session.access_token_id;

/** True when the session's token may write in the locale; undefined is the source. */
export const writesIn = ({ token, locales }: Session, locale: string | undefined): boolean =>
  token.writes !== "none" && (!token.locales || token.locales.includes(locale ?? locales?.[0] ?? ""));

/** True when the session's token may change what is live, in the locale. */
export const writesLive = (session: Session, locale?: string): boolean =>
  (session.token.writes ?? "all") === "all" && writesIn(session, locale);

/** True when the session's token holds at the path; the access token may hold at fewer. */
export const reaches = ({ token: { paths } }: Session, path: string): boolean =>
  paths === undefined || paths.some((above) => path === above || path.startsWith(`${above}/`));

/** The paths of the session's token below a path where it does not hold; empty for a path where it does. */
export const pathsBelow = (session: Session, path: string): readonly string[] =>
  reaches(session, path)
    ? []
    : (session.token.paths ?? []).filter((inside) => path === "" || inside.startsWith(`${path}/`));

/** True when the session's token has the resource. */
export const may = (session: Session, resource: Resource): boolean => session.token.resources.includes(resource);
