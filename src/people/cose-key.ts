import { constants, createPublicKey, type KeyObject, verify } from "node:crypto";
import type { Cbor, CborMap } from "../core/lib/cbor.ts";
import { readBase64url } from "./base64url.ts";

/** Public keys of passkeys: of a COSE_Key (RFC 9052, RFC 9053, RFC 8230) that an authenticator sends, and as they are stored. */

/** A key of one of the algorithms that are accepted. */
export type PasskeyKey = Readonly<{ algorithm: Algorithm; key: KeyObject }>;

/** IANA COSE Algorithms, in the order in which they are preferred. */
export const algorithms = { EdDSA: -8, ES256: -7, RS256: -257 } as const;
export type Algorithm = keyof typeof algorithms;

/** Labels of a COSE_Key. -1 to -3 mean another thing for each type of key. */
const label = { type: 1, algorithm: 3, first: -1, second: -2, third: -3 };

/** The key, or undefined when it is none of these algorithms, or its numbers are no key. */
export function readCoseKey(map: CborMap): PasskeyKey | undefined {
  const name = map.get(label.algorithm);
  const algorithm = (Object.keys(algorithms) as Algorithm[]).find((known) => algorithms[known] === name);
  const jwk = algorithm && readers[algorithm](map);
  return jwk && keyOf(() => createPublicKey({ format: "jwk", key: jwk }));
}

type Reader = (map: CborMap) => Record<string, string> | undefined;

/** The key's numbers as a JSON Web Key; node:crypto refuses a point that is not on the curve. */
const readers: Record<Algorithm, Reader> = {
  ES256: (map) => {
    // A compressed point (a boolean for y) is not accepted: WebAuthn §5.8.5.
    const [x, y] = [bytesOf(map.get(label.second), 32), bytesOf(map.get(label.third), 32)];
    if (map.get(label.type) !== 2 || map.get(label.first) !== 1 || !x || !y) return undefined;
    return { kty: "EC", crv: "P-256", x, y };
  },
  EdDSA: (map) => {
    const x = bytesOf(map.get(label.second), 32);
    if (map.get(label.type) !== 1 || map.get(label.first) !== 6 || !x) return undefined;
    return { kty: "OKP", crv: "Ed25519", x };
  },
  RS256: (map) => {
    const [n, e] = [bytesOf(map.get(label.first)), bytesOf(map.get(label.second))];
    return map.get(label.type) === 3 && n && e ? { kty: "RSA", n, e } : undefined;
  },
};

function bytesOf(value: Cbor | undefined, size?: number): string | undefined {
  if (!(value instanceof Uint8Array) || (size !== undefined && value.length !== size)) return undefined;
  return Buffer.from(value).toString("base64url");
}

function keyOf(create: () => KeyObject): PasskeyKey | undefined {
  let key: KeyObject;
  try {
    key = create();
  } catch {
    return undefined;
  }
  const algorithm = algorithmOf(key);
  return algorithm && { algorithm, key };
}

/** Verifying with a long key or exponent would take long. */
const rsaBits = { min: 2048, max: 4096 };
const maxExponent = 2n ** 32n;

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): Algorithm | undefined {
  const { namedCurve, modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType === "ec" && namedCurve === "prime256v1") return "ES256";
  if (asymmetricKeyType === "ed25519") return "EdDSA";
  if (asymmetricKeyType !== "rsa" || modulusLength < rsaBits.min || modulusLength > rsaBits.max) return undefined;
  return publicExponent >= 3n && publicExponent % 2n === 1n && publicExponent < maxExponent ? "RS256" : undefined;
}

/** A key as it is stored: its SubjectPublicKeyInfo, base64url. */
export const formatKey = ({ key }: PasskeyKey): string =>
  key.export({ type: "spki", format: "der" }).toString("base64url");

/** The inverse; undefined for a text that is no key of these algorithms. */
export function parseKey(text: string): PasskeyKey | undefined {
  const der = readBase64url(text);
  return der && keyOf(() => createPublicKey({ key: der, format: "der", type: "spki" }));
}

/** True when the signature of the bytes is by this key. */
export function isSignedBy({ algorithm, key }: PasskeyKey, bytes: Uint8Array, signature: Uint8Array): boolean {
  const padded = algorithm === "RS256" ? { key, padding: constants.RSA_PKCS1_PADDING } : key;
  return verify(algorithm === "EdDSA" ? null : "sha256", bytes, padded, signature);
}
