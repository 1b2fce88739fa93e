import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import Provider from "oidc-provider";
import { atEnd } from "./ending.ts";
import { closed, listen } from "./listening.ts";

/** A real issuer of OpenID Connect on this machine: oidc-provider, as its defaults are. */

export const clientId = "octavo";
export const clientSecret = "a secret: with + and %";

/** What the issuer says about a subject. */
export type Account = Record<string, unknown>;

export type RealIssuer = {
  issuer: string;
  /** Settings of the service that uses it. */
  env: Record<string, string>;
  /** By subject. */
  accounts: Map<string, Account>;
  /**
   * Goes where the service sends a browser, and signs in there as the subject; answers the address to which the issuer
   * sends the browser back.
   */
  signIn(address: string, subject: string): Promise<URL>;
  /** Signs in whoever comes from now on as the subject. */
  expect(subject: string): void;
  close(): Promise<void>;
};

export type IssuerOptions = {
  /** `localhost` is another site than 127.0.0.1, to a browser. */
  host?: "127.0.0.1" | "localhost";
  authentication?: "client_secret_basic" | "client_secret_post";
};

/** Starts one whose client may be sent back to these addresses, which may be known later. It ends with the file. */
export async function startIssuer(redirects: () => string[], options: IssuerOptions = {}): Promise<RealIssuer> {
  const server = createServer();
  const issuer = (await listen(server)).replace("127.0.0.1", options.host ?? "127.0.0.1");
  const accounts = new Map<string, Account>();
  let subject = "";
  let provider: Provider | undefined;
  const open = (): Provider =>
    new Provider(issuer, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: redirects(),
          ...(options.authentication && { token_endpoint_auth_method: options.authentication }),
        },
      ],
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], role: ["role"] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      cookies: { keys: ["a key of the test"] },
      findAccount: (_, id) => ({ accountId: id, claims: () => ({ ...accounts.get(id), sub: id }) }),
      loadExistingGrant: async ({ oidc }) => {
        const { client, session, provider } = oidc;
        const grant = new provider.Grant({
          accountId: session?.accountId as string,
          clientId: client?.clientId as string,
        });
        grant.addOIDCScope("openid email profile role");
        await grant.save();
        return grant;
      },
    });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    provider ??= open();
    if (!request.url?.startsWith("/interaction/")) return void provider.callback()(request, response);
    void provider.interactionFinished(request, response, { login: { accountId: subject } });
  });
  const close = () => closed(server);
  atEnd(close);
  return {
    ...{ issuer, accounts, close },
    env: { OCTAVO_OIDC_ISSUER: issuer, OCTAVO_OIDC_CLIENT_ID: clientId, OCTAVO_OIDC_CLIENT_SECRET: clientSecret },
    expect: (who) => {
      subject = who;
    },
    signIn: (address, who) => {
      subject = who;
      return follow(address, issuer);
    },
  };
}

/** Follows redirects at the issuer as a new browser does; answers the first address elsewhere. */
async function follow(from: string, issuer: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let at = new URL(from);
  for (let hops = 0; at.origin === issuer; hops++) {
    assert.ok(hops < 10, `too many redirects: ${at}`);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const reply = await fetch(at, { redirect: "manual", headers: { cookie } });
    const location = reply.headers.get("location");
    assert.ok(location, `${at} answered ${reply.status}: ${await reply.text()}`);
    for (const set of reply.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    at = new URL(location, at);
  }
  return at;
}
