import type { Call } from "../core/http/call.ts";
import { isBrowser, openRoute } from "../core/http/html.ts";
import type { Answer } from "../core/http/reply.ts";
import { type Route, writerOf } from "../core/http/route.ts";
import { isLoopback } from "../core/lib/host.ts";
import { isProblem, Problem } from "../core/problem.ts";
import { type ClaimRules, type Flow, type Issuer, readAssertion, signInRefused } from "./identity.ts";
import type { PersonStore } from "./person.ts";
import { problem } from "./problems.ts";
import { Seal } from "./seal.ts";
import { cookieOf, type Sessions } from "./session-cookie-wire.ts";

export type OidcOptions = {
  /** Undefined where the settings name none: then there are no such routes. */
  issuer: Issuer | undefined;
  rules: ClaimRules;
  people: PersonStore;
  sessions: Sessions;
  signingKey: string;
  /** Where the service is, from the settings: never from a request. */
  base(): string;
  publicUrl: string | undefined;
  /** Logs why a sign-in failed; the person sees it without details. */
  onFailure(error: unknown): void;
};

const url = "/admin/session/oidc";
const backUrl = `${url}/back`;
const cookieName = "octavo_oidc";
/** The time for signing in at the issuer. */
const flowSeconds = 600;

/**
 * Sign-in at an issuer of OpenID Connect. What the browser needs to come back with is sealed in a cookie of its own, so that
 * any node of a store ends what another began, and nobody ends what he did not begin. Contract, part three, §19; decision 72.
 */
export function oidcRoutes(options: OidcOptions): Route[] {
  const { issuer } = options;
  if (!issuer) return [];
  const flows = new Flows(options);
  return [
    openRoute(url, "Sign in at the issuer: leads there", async (call) => {
      const own = ownAddress(call, options);
      if (own !== undefined) return leadTo(own, []);
      return answered(call, options, async () => {
        const { address, flow } = await issuer.begin(options.base() + backUrl);
        return leadTo(address, flows.keep(flow, call.nowSeconds));
      });
    }),
    openRoute(backUrl, "Where the issuer sends the browser back to: signs in", (call) =>
      answered(call, options, async () => {
        const flow = flows.of(call);
        if (!flow) throw signInRefused("the cookie of its beginning is missing, or older than ten minutes");
        const asserted = readAssertion(await issuer.finish(flow, queryOf(call)), options.rules);
        const { id } = await options.people.enter(asserted, writerOf(call));
        const { headers = [] } = await options.sessions.startFor(call, { id, password: null });
        return leadTo(`${options.base()}/admin`, [...headers, ...flows.forget()]);
      }),
    ),
  ];
}

const queryOf = (call: Call): string => call.url.split("?").slice(1).join("?");

const leadTo = (location: string, headers: string[]): Answer => ({
  status: 302,
  body: "",
  contentType: "",
  cacheControl: "no-store",
  headers: ["Location", location, "Cache-Control", "no-store", ...headers],
});

/**
 * A service without public_url is where it listens: a browser that calls it `localhost` is led there, or it would come back
 * to another host than the one that has its cookie.
 */
function ownAddress(call: Call, { publicUrl, base }: OidcOptions): string | undefined {
  if (publicUrl !== undefined) return undefined;
  const [used, own] = [new URL(call.origin()), new URL(base())];
  const isOther = used.host !== own.host && isLoopback(used.hostname) && isLoopback(own.hostname);
  return isOther && used.port === own.port ? base() + url : undefined;
}

/** A refusal leads a browser to the page, which says why; others get the problem. */
async function answered(call: Call, options: OidcOptions, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    const failure = named(error, options);
    if (!isBrowser(call.accept)) throw failure;
    if (failure.cause !== undefined) options.onFailure(failure.cause);
    return leadTo(`${options.base()}/admin#refused=${failure.code}`, []);
  }
}

/** One text for everything that is wrong with a sign-in. Throws what is no problem. */
function named(error: unknown, { issuer }: OidcOptions): Problem {
  if (!(error instanceof Problem)) throw error;
  if (!isProblem(error, "sign_in_failed")) return error;
  const failure = problem("sign_in_failed", { issuer: issuer?.name ?? "" });
  if (error.cause !== undefined) failure.cause = error.cause;
  return failure;
}

/** What a browser keeps while its person signs in at the issuer. */
class Flows {
  private readonly seal: Seal;
  private readonly base: () => string;

  constructor({ signingKey, base }: OidcOptions) {
    this.seal = new Seal(signingKey, "octavo oidc");
    this.base = base;
  }

  keep(flow: Flow, nowSeconds: number): string[] {
    return this.cookie(this.seal.seal(JSON.stringify({ flow, expiresAt: nowSeconds + flowSeconds })), flowSeconds);
  }

  forget(): string[] {
    return this.cookie("", 0);
  }

  of({ headers, nowSeconds }: Call): Flow | undefined {
    const text = this.seal.open(cookieOf(headers, cookieName) ?? "");
    if (text === undefined) return undefined;
    const { flow, expiresAt } = JSON.parse(text) as { flow: Flow; expiresAt: number };
    const leftSeconds = expiresAt - nowSeconds;
    return leftSeconds > 0 && leftSeconds <= flowSeconds ? flow : undefined;
  }

  /** Lax: the issuer's page leads back here. */
  private cookie(value: string, maxAgeSeconds: number): string[] {
    const { protocol, pathname } = new URL(this.base() + url);
    const attributes = `Path=${pathname}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax`;
    return ["Set-Cookie", `${cookieName}=${value}; ${attributes}${protocol === "https:" ? "; Secure" : ""}`];
  }
}
