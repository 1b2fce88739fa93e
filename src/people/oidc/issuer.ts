import type * as Client from "openid-client";
import { isLoopback } from "../../core/lib/host.ts";
import { Problem } from "../../core/problem.ts";
import { type Assertion, type Flow, type Issuer, signInRefused } from "../identity.ts";
import { problem } from "../problems.ts";

export type IssuerOptions = {
  /** As the issuer names itself; over http only on this machine. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The claim that names roles; empty for none. */
  roleClaim: string;
  /** The time of each of its answers. */
  timeoutSeconds: number;
};

/** How long the issuer's description of itself is good. Its keys are asked for again when a signature names another. */
const describedMs = 3600 * 1000;

/** What the service knows of the issuer: how to speak to it, in each way it lets a client prove itself. */
type IssuerClient = {
  client: typeof Client;
  configurations: readonly [Client.Configuration, ...Client.Configuration[]];
};

/**
 * OpenID Connect: the code flow with PKCE, state, nonce, and the `iss` of RFC 9207. The library, and what it loads of Node, is
 * loaded with the first sign-in. Contract, part three, §19; decision 72.
 */
export class OidcIssuer implements Issuer {
  readonly name: string;
  private readonly options: IssuerOptions;
  private known: { at: number; value: Promise<IssuerClient> } | undefined;

  constructor(options: IssuerOptions) {
    this.options = options;
    this.name = new URL(options.issuer).host;
  }

  async begin(redirectUri: string): Promise<{ address: string; flow: Flow }> {
    const { client, configurations } = await this.describe();
    const [configuration] = configurations;
    const { issuer } = this.options;
    const [state, nonce] = [client.randomState(), client.randomNonce()];
    const verifier = client.randomPKCECodeVerifier();
    const address = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.scopeOf(configuration),
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
      nonce,
    });
    return { address: address.href, flow: { issuer, state, nonce, verifier, redirectUri } };
  }

  async finish({ issuer, state, nonce, verifier, redirectUri }: Flow, query: string): Promise<Assertion> {
    if (issuer !== this.options.issuer)
      throw signInRefused(`it began at ${issuer}, and oidc_issuer names another one since, or on this node`);
    const known = await this.describe();
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    try {
      return await this.exchange(known, new URL(`${redirectUri}?${query}`), checks);
    } catch (error) {
      throw isUnreachable(error) ? this.unavailable(error) : this.caused(problem("sign_in_failed"), error);
    }
  }

  private async exchange(
    { client, configurations }: IssuerClient,
    address: URL,
    checks: Client.AuthorizationCodeGrantChecks,
  ): Promise<Assertion> {
    const [first, second] = configurations;
    let configuration = first;
    const tokens = await client.authorizationCodeGrant(first, address, checks).catch((error: unknown) => {
      // The client is registered for the other way to send its secret; the code is not used up.
      if (!second || (error as { error?: string }).error !== "invalid_client") throw error;
      configuration = second;
      return client.authorizationCodeGrant(second, address, checks);
    });
    const signed = tokens.claims() as Client.IDToken;
    const asked = configuration.serverMetadata().userinfo_endpoint
      ? [await client.fetchUserInfo(configuration, tokens.access_token, signed.sub)]
      : [];
    return { identity: { issuer: signed.iss, subject: signed.sub }, claims: [signed, ...asked] };
  }

  /** Throws issuer_unavailable. */
  private async describe(): Promise<IssuerClient> {
    if (!this.known || performance.now() - this.known.at > describedMs) {
      const value = this.discover();
      this.known = { at: performance.now(), value };
    }
    const { known } = this;
    try {
      return await known.value;
    } catch (error) {
      if (this.known === known) this.known = undefined;
      throw error instanceof Problem ? error : this.unavailable(error);
    }
  }

  private async discover(): Promise<IssuerClient> {
    const client = await import("openid-client");
    const { issuer, clientId, clientSecret, timeoutSeconds } = this.options;
    const address = new URL(issuer);
    const isLocal = address.protocol === "http:" && isLoopback(address.hostname);
    const execute = [client.enableNonRepudiationChecks, ...(isLocal ? [client.allowInsecureRequests] : [])];
    const options = { execute, timeout: timeoutSeconds };
    const ways = { client_secret_basic: client.ClientSecretBasic, client_secret_post: client.ClientSecretPost };
    const found = await client.discovery(address, clientId, clientSecret, ways.client_secret_basic(), options);
    const metadata = found.serverMetadata();
    this.refuseOpen(metadata.authorization_endpoint, isLocal);
    const taken = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const configurations = Object.entries(ways)
      .filter(([way]) => taken.includes(way))
      .map(([, authentication]) => {
        const one = new client.Configuration(metadata, clientId, clientSecret, authentication());
        for (const enable of execute) enable(one);
        one.timeout = timeoutSeconds;
        return one;
      });
    return { client, configurations: [configurations[0] ?? found, ...configurations.slice(1)] };
  }

  /** The library asks no address over http of an issuer over https; this one is the browser's. */
  private refuseOpen(endpoint: string | undefined, isLocal: boolean): void {
    const { protocol } = new URL(endpoint ?? "");
    if (protocol !== "https:" && !(isLocal && protocol === "http:")) throw new Error(`not over https: ${endpoint}`);
  }

  /** The address and the name, and what the claim of roles may be part of. */
  private scopeOf(configuration: Client.Configuration): string {
    const { scopes_supported: known } = configuration.serverMetadata();
    const isKnown = (scope: string) => known === undefined || known.includes(scope);
    const [role = ""] = this.options.roleClaim.split(".");
    return ["openid", ...["email", "profile"].filter(isKnown), ...(known?.includes(role) ? [role] : [])].join(" ");
  }

  private unavailable(cause: unknown): Problem {
    return this.caused(problem("issuer_unavailable", { issuer: this.name }), cause);
  }

  private caused(failure: Problem, cause: unknown): Problem {
    failure.cause = `${this.name}: ${sentenceOf(cause)}`;
    return failure;
  }
}

/** For the operator's log: what the library, and the issuer, say is wrong. No token and no code is in it. */
function sentenceOf(error: unknown): string {
  const sentences: string[] = [];
  for (let at: unknown = error; at instanceof Error && sentences.length < 5; at = at.cause) {
    const { message, error, error_description: more } = at as Error & { error?: unknown; error_description?: unknown };
    sentences.push([message, error, more].filter((text) => typeof text === "string" && text !== "").join(", "));
  }
  return sentences.join(": ");
}

/** True where no answer came, or one that says that the issuer itself has failed. */
function isUnreachable(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: unknown };
  const isFailed = cause instanceof Response && cause.status >= 500;
  return isFailed || code === "OAUTH_TIMEOUT" || code === "OAUTH_ABORT" || (error as Error).message === "fetch failed";
}
