import { isCborMap, readCborAt } from "../core/lib/cbor.ts";
import { type PasskeyKey, readCoseKey } from "./cose-key.ts";

/** What an authenticator says about a use of a passkey. WebAuthn L3 §6.1. */
export type AuthenticatorData = Readonly<{
  rpIdHash: Uint8Array;
  isPresent: boolean;
  isVerified: boolean;
  /** The key may be on several devices, as those of password managers. */
  isSyncable: boolean;
  /** Uses of the passkey, as far as the authenticator counts them; 0 when it does not. */
  counter: number;
  /** Only when a passkey is made. */
  credential: Credential | undefined;
}>;

type Credential = Readonly<{ id: Uint8Array; aaguid: Uint8Array; key: PasskeyKey }>;

/** Bytes that no authenticator sends. */
export class AuthenticatorDataError extends Error {}

const flag = { present: 0x01, verified: 0x04, syncable: 0x08, synced: 0x10, credential: 0x40, extensions: 0x80 };
const headBytes = 37;
const aaguidBytes = 16;
/** WebAuthn L3 §4, Credential ID. */
export const maxCredentialIdBytes = 1023;

/** Throws AuthenticatorDataError, CborError. */
export function readAuthenticatorData(bytes: Uint8Array): AuthenticatorData {
  if (bytes.length < headBytes) throw new AuthenticatorDataError("the authenticator data are cut off");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const flags = view.getUint8(32);
  const has = (bit: number): boolean => (flags & bit) !== 0;
  if (has(flag.synced) && !has(flag.syncable)) throw new AuthenticatorDataError("the flags contradict each other");
  let at = headBytes;
  let credential: Credential | undefined;
  if (has(flag.credential)) ({ credential, end: at } = readCredential(bytes, view, at));
  if (has(flag.extensions)) {
    const { value, end } = readCborAt(bytes, at);
    if (!isCborMap(value)) throw new AuthenticatorDataError("the extensions are no map");
    at = end;
  }
  if (at !== bytes.length) throw new AuthenticatorDataError("bytes follow the authenticator data");
  return {
    rpIdHash: bytes.subarray(0, 32),
    isPresent: has(flag.present),
    isVerified: has(flag.verified),
    isSyncable: has(flag.syncable),
    counter: view.getUint32(33),
    credential,
  };
}

function readCredential(bytes: Uint8Array, view: DataView, at: number): { credential: Credential; end: number } {
  const idAt = at + aaguidBytes + 2;
  if (idAt > bytes.length) throw new AuthenticatorDataError("the credential is cut off");
  const keyAt = idAt + view.getUint16(at + aaguidBytes);
  if (keyAt > bytes.length) throw new AuthenticatorDataError("the credential's id is cut off");
  if (keyAt === idAt || keyAt - idAt > maxCredentialIdBytes)
    throw new AuthenticatorDataError(`the credential's id has not 1 to ${maxCredentialIdBytes} bytes`);
  const { value, end } = readCborAt(bytes, keyAt);
  const key = isCborMap(value) ? readCoseKey(value) : undefined;
  if (!key) throw new AuthenticatorDataError("the public key is no key of EdDSA, ES256 or RS256");
  return { credential: { aaguid: bytes.slice(at, at + aaguidBytes), id: bytes.slice(idAt, keyAt), key }, end };
}
