import { randomUUID } from "node:crypto";
import type { JsonObject } from "../core/lib/json.ts";
import { isProblem } from "../core/problem.ts";
import { formatKey, type PasskeyKey, parseKey } from "./cose-key.ts";
import type { NewPasskey, Passkey, PasskeyStore } from "./passkey.ts";
import type { IssuedChallenge, PasskeyChallenges } from "./passkey-challenge.ts";
import { type Person, parseName } from "./person.ts";
import { problem } from "./problems.ts";
import {
  creationOptions,
  type RelyingParty,
  readAuthentication,
  readRegistration,
  requestOptions,
  verifyAuthentication,
  verifyRegistration,
} from "./webauthn.ts";

/** How passkeys are made and used. Contract, part three, §19; decision 72. */

/** What a new passkey is for: the challenge of one purpose is none of another. */
const purposes = {
  signIn: "sign-in",
  /** Beside others of a person who is signed in. */
  add: (person: string) => `add ${person}`,
  /** The first one, by a link of which this is the hash. */
  join: (linkHash: string) => `join ${linkHash}`,
};

export type Purpose = Readonly<{ add: string } | { join: string }>;
const purposeText = (purpose: Purpose): string =>
  "add" in purpose ? purposes.add(purpose.add) : purposes.join(purpose.join);

/** Who a new passkey is for; a person to be has no id yet. */
export type Holder = Pick<Person, "name" | "email"> & { id: string | undefined };

export type CeremonyOptions = {
  challenges: PasskeyChallenges;
  /** Undefined where browsers have no passkeys for this service. */
  relyingParty(): RelyingParty | undefined;
};

/** The ceremonies of this service: options for browsers, and what their answers are worth. */
export class Ceremonies {
  private readonly options: CeremonyOptions;

  constructor(options: CeremonyOptions) {
    this.options = options;
  }

  /** Options of a sign-in. They name nobody, so they are the same for everybody. Throws passkeys_unavailable. */
  signInOptions(nowSeconds: number) {
    return requestOptions(this.relyingParty(), this.options.challenges.issue(purposes.signIn, nowSeconds));
  }

  /** Options of a new passkey. Throws passkeys_unavailable. */
  creationOptions(purpose: Purpose, holder: Holder, existing: readonly Passkey[], nowSeconds: number) {
    const { challenges } = this.options;
    const relyingParty = this.relyingParty();
    const challenge = challenges.issue(purposeText(purpose), nowSeconds);
    const id = holder.id ?? idOf(challenges.find(challenge, purposeText(purpose), nowSeconds) as IssuedChallenge);
    const user = { handle: handleOf(id), name: holder.email, displayName: holder.name || holder.email };
    const known = existing.map(({ credential, transports }) => ({ id: credential, transports }));
    return creationOptions(relyingParty, challenge, user, known);
  }

  /**
   * Verifies a new passkey. `person` is its holder's id; of a person to be, it is the one that the challenge stands for.
   * Throws passkey_invalid, passkeys_unavailable, argument_invalid (the name).
   */
  verifyNew(sent: SentPasskey, purpose: Purpose, person: string | undefined, nowSeconds: number): NewPasskey {
    const relyingParty = this.relyingParty();
    const response = readRegistration(sent.passkey);
    const issued = this.options.challenges.find(response.clientData.challenge, purposeText(purpose), nowSeconds);
    if (!issued)
      throw problem("passkey_invalid", {
        argument: "passkey",
        rule: "its challenge has ended, or is not one for this",
      });
    const { challenge, expiresAt } = issued;
    const { id: credential, key, counter, transports } = verifyRegistration(response, { relyingParty, challenge });
    const name = parseName(sent.nameArgument, sent.name ?? defaultName);
    const holder = person ?? idOf(issued);
    const times = { createdAt: nowSeconds, lastUsedAt: null, counterBackAt: null };
    const facts = { id: randomUUID(), person: holder, name, credential, key: formatKey(key), transports, counter };
    return { passkey: { ...facts, ...times }, used: { challenge, expiresAt } };
  }

  /**
   * The id of the person whose passkey was used; its challenge is used up. Says the same, and verifies as much, for a passkey
   * that nobody has. Throws sign_in_failed, passkeys_unavailable.
   */
  async signIn(passkeys: PasskeyStore, sent: JsonObject, nowSeconds: number): Promise<string> {
    const relyingParty = this.relyingParty();
    try {
      const response = readAuthentication(sent);
      const passkey = await passkeys.findByCredential(response.id);
      const issued = this.options.challenges.find(response.clientData.challenge, purposes.signIn, nowSeconds);
      const key = (passkey && parseKey(passkey.key)) ?? nobodysKey;
      verifyAuthentication(response, key, { relyingParty, challenge: issued?.challenge ?? "" });
      if (!passkey || !issued || response.userHandle !== handleOf(passkey.person)) throw problem("sign_in_failed");
      await passkeys.use(passkey.id, response.data.counter, issued, nowSeconds);
      return passkey.person;
    } catch (error) {
      throw isProblem(error, "passkey_invalid") ? problem("sign_in_failed") : error;
    }
  }

  private relyingParty(): RelyingParty {
    const found = this.options.relyingParty();
    if (!found) throw problem("passkeys_unavailable");
    return found;
  }
}

/** A new passkey as it was sent. */
export type SentPasskey = Readonly<{ passkey: JsonObject; name: string | undefined; nameArgument: string }>;

const defaultName = "Passkey";

/** What an authenticator stores as the user's id: it says nothing about the person. WebAuthn L3 §14.6.1. */
const handleOf = (person: string): string => Buffer.from(person).toString("base64url");

/** The id of a person who does not exist before the passkey: of the challenge, so that nothing has to be remembered. */
function idOf({ nonce }: IssuedChallenge): string {
  const hex = nonce.toString("hex");
  const [variant = 0] = [(nonce.readUInt8(8) & 0x3f) | 0x80];
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    variant.toString(16) + hex.slice(18, 20),
    hex.slice(20),
  ].join("-");
}

/** What a passkey that nobody has is verified with. The point is the generator of P-256. */
const nobodysKey = parseKey(
  "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li_hp_m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q",
) as PasskeyKey;

/**
 * The service as browsers know it, of its address in the settings or the one that it listens on: never of a request. Undefined
 * where browsers refuse passkeys: for an IP address, and without TLS but on localhost. WebAuthn L3 §5.1.3, Secure Contexts.
 */
export function relyingPartyOf(publicUrl: string | undefined, localUrl: string): RelyingParty | undefined {
  const { origin, hostname, protocol } = publicUrl === undefined ? localhostAt(localUrl) : new URL(publicUrl);
  const isAddress = hostname.startsWith("[") || /^[\d.]+$/.test(hostname);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  if (isAddress || (protocol !== "https:" && !isLocal)) return undefined;
  return { id: hostname, origin, name: "Octavo" };
}

/** Without a public address browsers have passkeys at localhost only, also when the service listens on 127.0.0.1. */
function localhostAt(localUrl: string): URL {
  const url = new URL(localUrl);
  url.hostname = "localhost";
  return url;
}
