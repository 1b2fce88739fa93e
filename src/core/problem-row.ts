/** What a row of the catalogue of problems is, and the sentences that many of them have. Contract §3. */

export type Kind =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "method"
  | "timeout"
  | "conflict"
  | "gone"
  | "precondition"
  | "range"
  | "unprocessable"
  | "locked"
  | "checksum"
  | "too_large"
  | "headers_too_large"
  | "unsupported"
  | "throttled"
  | "busy"
  | "storage"
  | "internal";

/** A failure: its kind, which gives its status; its title; its sentence; the argument or header that it always concerns. */
export type ProblemRow<P> = {
  readonly kind: Kind;
  readonly title: string;
  readonly detail: (params: P) => string;
  /** Where the parameters do not name one. */
  readonly argument?: string | undefined;
};

export const row = <P = undefined>(
  kind: Kind,
  title: string,
  detail: (params: P) => string,
  argument?: string,
): ProblemRow<P> => ({ kind, title, detail, argument });

/** Client text for a message: quoted, at most 80 characters. */
export function quote(text: string): string {
  const shown = text.length > 80 ? `${text.slice(0, 80).toWellFormed()}…` : text.toWellFormed();
  return JSON.stringify(shown);
}

export type Named = { argument: string };
export type Received = Named & { received: string; accepted: string };
export const wasNot = (p: Received): string => `"${p.argument}" was ${quote(p.received)}; expected ${p.accepted}`;
export type Id = { id: string };
export type Field = { field: string };
export type PathArgument = Named & { path: string };
export const missing = (what: string) => (p: PathArgument) =>
  `"${p.argument}" was ${quote(p.path)}; there is no ${what} there`;
export const taken = (what: string) => (p: PathArgument) =>
  `"${p.argument}" was ${quote(p.path)}; there is a ${what} already`;
export const named = (what: string) => (p: Id) => `"id" was ${quote(p.id)}; there is no ${what} with this id`;
