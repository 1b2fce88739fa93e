import { hash, timingSafeEqual } from "node:crypto";
import { type Cbor, CborError, isCborMap, readCbor } from "../core/lib/cbor.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/lib/json.ts";
import {
  type AuthenticatorData,
  AuthenticatorDataError,
  maxCredentialIdBytes,
  readAuthenticatorData,
} from "./authenticator-data.ts";
import { readBase64url } from "./base64url.ts";
import { algorithms, isSignedBy, type PasskeyKey } from "./cose-key.ts";
import { problem } from "./problems.ts";

/**
 * The ceremonies of passkeys: what a browser is asked for, and the verification of what it answers, in the JSON forms of
 * WebAuthn L3 (§5.1.8 to §5.1.10, verified as §7.1 and §7.2 say). Attestation "none", keys that are discoverable, a user who
 * is verified. Contract, part three, §19; decision 72.
 */

/** This service, as browsers know it: keys belong to `id`, a host name; only pages of `origin` may use them. */
export type RelyingParty = Readonly<{ id: string; origin: string; name: string }>;

/** A response of a browser whose form is right. `challenge` is what it claims; nothing is verified. */
export type RegistrationResponse = Readonly<Response & { attestation: Attestation; transports: readonly string[] }>;
export type AuthenticationResponse = Readonly<
  Response & { authenticatorData: Buffer; data: AuthenticatorData; signature: Buffer; userHandle: string | undefined }
>;

type Response = {
  /** The id of the credential, base64url. */
  id: string;
  clientData: ClientData;
  /** The SHA-256 of clientDataJSON. */
  clientHash: Buffer;
};
type ClientData = Readonly<{ type: unknown; challenge: string; origin: unknown; isFramed: boolean }>;
type Attestation = Readonly<{ format: Cbor | undefined; statement: Cbor | undefined; authData: Uint8Array }>;

/** A key that was made. */
export type Registered = Readonly<{
  /** Of the credential, base64url. */
  id: string;
  key: PasskeyKey;
  counter: number;
  transports: readonly string[];
}>;

/** What the ceremony was about: the challenge is one that was issued for it and not used before. */
export type Ceremony = Readonly<{ relyingParty: RelyingParty; challenge: string }>;

const argument = "passkey";

function refused(rule: string, cause?: unknown): Error {
  const failure = problem("passkey_invalid", { argument, rule });
  if (cause !== undefined) failure.cause = cause;
  return failure;
}

/** Throws passkey_invalid in place of the errors of the formats. */
function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    // The sentence says it; a refusal of a client's bytes is no failure for the log.
    if (error instanceof CborError || error instanceof AuthenticatorDataError) throw refused(error.message);
    throw error;
  }
}

// --------------------------------------------------------------------------------------------------- what is asked for

const timeoutMs = 300_000;

/** How long a challenge holds, in seconds: somebody looks for the phone. */
export const ceremonySeconds = timeoutMs / 1000;

type Descriptor = Readonly<{ id: string; transports: readonly string[] }>;
type User = Readonly<{ handle: string; name: string; displayName: string }>;

/** What `PublicKeyCredential.parseCreationOptionsFromJSON` takes. An authenticator that has one of `existing` makes none. */
export function creationOptions(
  { id, name }: RelyingParty,
  challenge: string,
  user: User,
  existing: readonly Descriptor[],
) {
  return {
    rp: { id, name },
    user: { id: user.handle, name: user.name, displayName: user.displayName },
    challenge,
    pubKeyCredParams: Object.values(algorithms).map((alg) => ({ type: "public-key", alg })),
    timeout: timeoutMs,
    excludeCredentials: existing.map(descriptor),
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    attestation: "none",
  };
}

/** What `PublicKeyCredential.parseRequestOptionsFromJSON` takes. The browser offers the keys that it has: nobody is named. */
export const requestOptions = ({ id }: RelyingParty, challenge: string) => ({
  challenge,
  timeout: timeoutMs,
  rpId: id,
  allowCredentials: [],
  userVerification: "required",
});

const descriptor = ({ id, transports }: Descriptor) => ({ type: "public-key", id, transports });

// ---------------------------------------------------------------------------------------------------- what was answered

/** Reads the JSON of a new key: `PublicKeyCredential.toJSON()` after create(). Throws passkey_invalid. */
export function readRegistration(sent: JsonObject): RegistrationResponse {
  const { response, ...common } = readResponse(sent);
  const object = reading(() => readCbor(bytesOf(response, "attestationObject")));
  const authData = isCborMap(object) ? object.get("authData") : undefined;
  if (!isCborMap(object) || !(authData instanceof Uint8Array))
    throw refused('"attestationObject" has no authenticator data');
  const attestation = { format: object.get("fmt"), statement: object.get("attStmt"), authData };
  return { ...common, attestation, transports: readTransports(response.get("transports")) };
}

/** Reads the JSON of a use of a key: `PublicKeyCredential.toJSON()` after get(). Throws passkey_invalid. */
export function readAuthentication(sent: JsonObject): AuthenticationResponse {
  const { response, ...common } = readResponse(sent);
  const authenticatorData = bytesOf(response, "authenticatorData");
  const data = reading(() => readAuthenticatorData(authenticatorData));
  const handle = response.get("userHandle");
  const userHandle = typeof handle === "string" ? handle : undefined;
  return { ...common, authenticatorData, data, signature: bytesOf(response, "signature"), userHandle };
}

function readResponse(sent: JsonObject): Response & { response: JsonObject } {
  const [id, response] = [sent.get("id"), sent.get("response")];
  const idBytes = typeof id === "string" ? readBase64url(id) : undefined;
  if (!idBytes || idBytes.length === 0 || idBytes.length > maxCredentialIdBytes || id !== sent.get("rawId"))
    throw refused('"id" and "rawId" are not the id of a credential');
  if (sent.get("type") !== "public-key") throw refused('"type" is not "public-key"');
  if (!isJsonObject(response)) throw refused('"response" is no object');
  const bytes = bytesOf(response, "clientDataJSON");
  return { id: id as string, response, clientData: readClientData(bytes), clientHash: sha256(bytes) };
}

const sha256 = (data: string | Uint8Array): Buffer => hash("sha256", data, "buffer");

function bytesOf(response: JsonObject, name: string): Buffer {
  const text = response.get(name);
  const bytes = typeof text === "string" ? readBase64url(text) : undefined;
  if (!bytes) throw refused(`"${name}" is not base64url`);
  return bytes;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function readClientData(bytes: Uint8Array): ClientData {
  let data: Record<string, unknown>;
  try {
    data = Object(JSON.parse(utf8.decode(bytes)));
  } catch {
    throw refused('"clientDataJSON" is no JSON');
  }
  const { type, challenge, origin, crossOrigin, topOrigin } = data;
  if (typeof challenge !== "string") throw refused('"clientDataJSON" has no challenge');
  // Another page that shows ours in a frame may mislead its user.
  return { type, challenge, origin, isFramed: (crossOrigin ?? false) !== false || topOrigin !== undefined };
}

const maxTransports = 8;
const transportPattern = /^[a-z-]{1,32}$/;

/** Hints for the browser, of which some are not known yet. Those of another form are left out. */
function readTransports(sent: Json | undefined): string[] {
  if (!Array.isArray(sent)) return [];
  const known = sent.filter((name): name is string => typeof name === "string" && transportPattern.test(name));
  return [...new Set(known)].sort().slice(0, maxTransports);
}

/** True for transports as they are stored. */
export const areTransports = (names: readonly string[]): boolean =>
  names.length <= maxTransports && names.every((name) => transportPattern.test(name));

// ---------------------------------------------------------------------------------------------------- the verification

/** The key that was made in this ceremony. WebAuthn L3 §7.1. Throws passkey_invalid. */
export function verifyRegistration(response: RegistrationResponse, ceremony: Ceremony): Registered {
  verifyClient(response.clientData, "webauthn.create", ceremony);
  const { authData } = response.attestation;
  const data = reading(() => readAuthenticatorData(authData));
  verifyAuthenticator(data, ceremony.relyingParty);
  if (!data.credential) throw refused("the authenticator data have no key");
  const { id, key } = data.credential;
  if (Buffer.from(id).toString("base64url") !== response.id) throw refused('"id" is not the id of the key');
  verifyAttestation(response, key);
  return { id: response.id, key, counter: data.counter, transports: response.transports };
}

/**
 * Verifies a use of a key in this ceremony. WebAuthn L3 §7.2; whose key it is, is for the caller. Throws passkey_invalid.
 */
export function verifyAuthentication(response: AuthenticationResponse, key: PasskeyKey, ceremony: Ceremony): void {
  verifyClient(response.clientData, "webauthn.get", ceremony);
  verifyAuthenticator(response.data, ceremony.relyingParty);
  const signed = Buffer.concat([response.authenticatorData, response.clientHash]);
  if (!isSignedBy(key, signed, response.signature)) throw refused("the signature is not by this key");
}

/**
 * True when the counter of a use is not above the one before, where the authenticator counts: it may be a copy of the key.
 * A signal only, as synchronised keys do not count. WebAuthn L3 §6.1.1.
 */
export const isCounterBack = (before: number, now: number): boolean => (before > 0 || now > 0) && now <= before;

function verifyClient(data: ClientData, type: string, { relyingParty, challenge }: Ceremony): void {
  if (data.type !== type) throw refused(`the response is not of the type "${type}"`);
  if (data.challenge !== challenge) throw refused("the challenge is another one");
  if (data.origin !== relyingParty.origin) throw refused(`the page was not of ${relyingParty.origin}`);
  if (data.isFramed) throw refused("the page was in a frame of another one");
}

function verifyAuthenticator({ rpIdHash, isPresent, isVerified }: AuthenticatorData, { id }: RelyingParty): void {
  if (!timingSafeEqual(rpIdHash, sha256(id))) throw refused(`the key is not for ${id}`);
  if (!isPresent) throw refused("the user was not present");
  if (!isVerified) throw refused("the authenticator did not verify the user");
}

/**
 * "none", or what is left of others where none is asked for: a "packed" statement signed by the key itself, which a browser
 * lets pass. WebAuthn L3 §5.1.3 step 22, §8.2, §8.7.
 */
function verifyAttestation({ attestation, clientHash }: RegistrationResponse, key: PasskeyKey): void {
  const { format, statement, authData } = attestation;
  if (!isCborMap(statement)) throw refused("the attestation has no statement");
  if (format === "none" && statement.size === 0) return;
  const signature = statement.get("sig");
  const isOwn = format === "packed" && !statement.has("x5c") && statement.get("alg") === algorithms[key.algorithm];
  if (!isOwn || !(signature instanceof Uint8Array)) throw refused('the attestation is not "none"');
  if (!isSignedBy(key, Buffer.concat([authData, clientHash]), signature))
    throw refused("the attestation is not signed by the key");
}
