import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:http";
import { atEnd } from "./ending.ts";
import { clientId } from "./issuer.ts";
import { closed, listen } from "./listening.ts";

/** An issuer that answers what a test wants it to, with a valid description and a valid key. */

type Json = Record<string, unknown>;
export type Answers = {
  /** Over its description. */
  description: Json;
  /** Over the claims and the header of the ID token. */
  claims: Json;
  header: Json;
  /** The token as it is sent. */
  token: (signed: string) => string | undefined;
  userInfo: Json;
  /** The status of the token endpoint. */
  status: number;
};

const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
export const otherKeys = generateKeyPairSync("rsa", { modulusLength: 2048 });
const kid = "first";

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
export const partsOf = (token: string): [head: string, body: string, signature: string] =>
  token.split(".") as [string, string, string];

/** A token with this header and these claims, signed with the issuer's key unless another is given. */
export function tokenOf(header: Json, claims: Json, key = keys.privateKey): string {
  const text = `${part({ alg: "RS256", kid, ...header })}.${part(claims)}`;
  return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;
}

/** One whose signature is made of the public key, as if it were a shared secret. */
export function confusedToken(claims: Json): string {
  const text = `${part({ alg: "HS256", kid })}.${part(claims)}`;
  const secret = keys.publicKey.export({ type: "spki", format: "pem" });
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

export const openToken = (claims: Json): string => `${part({ alg: "none" })}.${part(claims)}.`;

export const claimsOf = (token: string): Json => JSON.parse(Buffer.from(partsOf(token)[1], "base64url").toString());

export type HostileIssuer = {
  issuer: string;
  /** What it answers from now on. */
  answer(what: Partial<Answers>): void;
  /** Where it sends the browser back to that came by this address. */
  back(address: string): URL;
  /** How often it was asked for tokens. */
  readonly asked: number;
};

export async function startHostile(): Promise<HostileIssuer> {
  const server = createServer();
  const issuer = await listen(server);
  atEnd(() => closed(server));
  let answers: Partial<Answers> = {};
  let nonce = "";
  let asked = 0;
  const description = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    userinfo_endpoint: `${issuer}/me`,
    authorization_response_iss_parameter_supported: true,
    id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
    ...answers.description,
  });
  const idToken = (): string | undefined => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, sub: "ada", aud: clientId, nonce, iat: now, exp: now + 300, ...answers.claims };
    const signed = tokenOf(answers.header ?? {}, claims);
    return answers.token ? answers.token(signed) : signed;
  };
  const replies: Record<string, () => Json> = {
    "/.well-known/openid-configuration": description,
    "/keys": () => ({ keys: [{ ...keys.publicKey.export({ format: "jwk" }), kid, use: "sig" }] }),
    "/token": () => ({ access_token: "x", token_type: "Bearer", expires_in: 60, id_token: idToken() }),
    "/me": () => ({ sub: "ada", ...answers.userInfo }),
  };
  server.on("request", (request, response) => {
    request.resume();
    const reply = replies[request.url ?? ""];
    if (request.url === "/token") asked++;
    const status = reply ? (request.url === "/token" && answers.status) || 200 : 404;
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(reply?.() ?? {}));
  });
  return {
    issuer,
    answer: (what) => {
      answers = what;
    },
    back: (address) => {
      const { searchParams: sent } = new URL(address);
      nonce = sent.get("nonce") ?? "";
      const at = new URL(sent.get("redirect_uri") ?? "");
      at.search = new URLSearchParams({ code: "x", state: sent.get("state") ?? "", iss: issuer }).toString();
      return at;
    },
    get asked() {
      return asked;
    },
  };
}
