import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { type Algorithm, algorithms } from "../src/people/cose-key.ts";

/** An authenticator with the part of the browser before it, over node:crypto: its responses are those of a real one. */

/** CBOR as it is written; a pair is of a map. */
export const cbor = {
  head(major: number, size: number): Buffer {
    if (size < 24) return Buffer.from([(major << 5) | size]);
    if (size < 256) return Buffer.from([(major << 5) | 24, size]);
    if (size < 65_536) return Buffer.from([(major << 5) | 25, size >> 8, size & 255]);
    throw new RangeError("too long for these tests");
  },
  number: (value: number): Buffer => (value < 0 ? cbor.head(1, -1 - value) : cbor.head(0, value)),
  bytes: (value: Uint8Array): Buffer => Buffer.concat([cbor.head(2, value.length), value]),
  text: (value: string): Buffer => Buffer.concat([cbor.head(3, Buffer.byteLength(value)), Buffer.from(value)]),
  map: (...pairs: [key: Buffer, value: Buffer][]): Buffer =>
    Buffer.concat([cbor.head(5, pairs.length), ...pairs.flat()]),
};

export type KeyPair = { publicKey: KeyObject; privateKey: KeyObject };

export const keyPairs: Record<Algorithm, () => KeyPair> = {
  ES256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  EdDSA: () => generateKeyPairSync("ed25519"),
  RS256: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
};

const fromJwk = (text: string | undefined): Buffer => Buffer.from(text ?? "", "base64url");

/** The COSE_Key of a public key; `changed` replaces or adds pairs by their labels. */
export function coseKey(algorithm: Algorithm, publicKey: KeyObject, changed: Record<number, Buffer> = {}): Buffer {
  const { x, y, n, e } = publicKey.export({ format: "jwk" });
  const numbers: Record<Algorithm, [label: number, value: Buffer][]> = {
    ES256: [
      ...([
        [1, cbor.number(2)],
        [3, cbor.number(algorithms.ES256)],
        [-1, cbor.number(1)],
      ] as [number, Buffer][]),
      ...([
        [-2, cbor.bytes(fromJwk(x))],
        [-3, cbor.bytes(fromJwk(y))],
      ] as [number, Buffer][]),
    ],
    EdDSA: [
      ...([
        [1, cbor.number(1)],
        [3, cbor.number(algorithms.EdDSA)],
        [-1, cbor.number(6)],
      ] as [number, Buffer][]),
      [-2, cbor.bytes(fromJwk(x))],
    ],
    RS256: [
      ...([
        [1, cbor.number(3)],
        [3, cbor.number(algorithms.RS256)],
      ] as [number, Buffer][]),
      ...([
        [-1, cbor.bytes(fromJwk(n))],
        [-2, cbor.bytes(fromJwk(e))],
      ] as [number, Buffer][]),
    ],
  };
  const pairs = new Map([...numbers[algorithm], ...Object.entries(changed).map(([k, v]) => [Number(k), v] as const)]);
  return cbor.map(...[...pairs].map(([key, value]): [Buffer, Buffer] => [cbor.number(key), value]));
}

export const flags = { present: 1, verified: 4, syncable: 8, synced: 16, credential: 64, extensions: 128 };
const sha256 = (data: string | Uint8Array): Buffer => createHash("sha256").update(data).digest();
const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");

export type Passkey = KeyPair & { algorithm: Algorithm; id: Buffer; counter: number; userHandle: string };

/** What a response says; each part can be made another one. */
export type Ceremony = {
  challenge: string;
  origin: string;
  rpId: string;
  type?: string;
  /** Bits that are set and that are not. */
  flags?: { on?: number; off?: number };
  clientData?: Record<string, unknown>;
  extensions?: Buffer;
  /** In place of the COSE_Key. */
  key?: Buffer;
  /** In place of the attestation "none". */
  attestation?: (authData: Buffer, clientHash: Buffer) => [format: string, statement: Buffer];
  /** The bytes before they are signed and sent. */
  authData?: (bytes: Buffer) => Buffer;
  /** The attestation object as it is sent. */
  object?: (bytes: Buffer) => Buffer;
  /** Signed is another text than what is sent. */
  signature?: (bytes: Buffer) => Buffer;
};

export function newPasskey(algorithm: Algorithm, userHandle = "dXNlcg"): Passkey {
  return { ...keyPairs[algorithm](), algorithm, id: randomBytes(32), counter: 0, userHandle };
}

export const signBy = ({ algorithm, privateKey }: Passkey, bytes: Buffer): Buffer =>
  sign(algorithm === "EdDSA" ? null : "sha256", bytes, privateKey);

function clientDataOf({ type, challenge, origin, clientData }: Ceremony, kind: string): Buffer {
  return Buffer.from(JSON.stringify({ type: type ?? kind, challenge, origin, crossOrigin: false, ...clientData }));
}

function authDataOf(ceremony: Ceremony, counter: number, bits: number, ...rest: Buffer[]): Buffer {
  const { rpId, extensions, flags: { on = 0, off = 0 } = {}, authData = (bytes) => bytes } = ceremony;
  const set = ((bits | on | (extensions ? flags.extensions : 0)) & ~off) >>> 0;
  const numbers = Buffer.alloc(5);
  numbers.writeUInt8(set);
  numbers.writeUInt32BE(counter, 1);
  return authData(Buffer.concat([sha256(rpId), numbers, ...rest, extensions ?? Buffer.alloc(0)]));
}

/** The JSON of `PublicKeyCredential.toJSON()` after create(). */
export function register(passkey: Passkey, ceremony: Ceremony) {
  const { id, algorithm, publicKey } = passkey;
  const key = ceremony.key ?? coseKey(algorithm, publicKey);
  const size = Buffer.alloc(2);
  size.writeUInt16BE(id.length);
  const bits = flags.present | flags.verified | flags.credential;
  const authData = authDataOf(ceremony, passkey.counter, bits, Buffer.alloc(16), size, id, key);
  const clientData = clientDataOf(ceremony, "webauthn.create");
  const [format, statement] = ceremony.attestation?.(authData, sha256(clientData)) ?? ["none", cbor.map()];
  const object = cbor.map(
    [cbor.text("fmt"), cbor.text(format)],
    [cbor.text("attStmt"), statement],
    [cbor.text("authData"), cbor.bytes(authData)],
  );
  return {
    ...{ id: base64url(id), rawId: base64url(id), type: "public-key", authenticatorAttachment: "platform" },
    response: {
      clientDataJSON: base64url(clientData),
      attestationObject: base64url(ceremony.object?.(object) ?? object),
      authenticatorData: base64url(authData),
      transports: ["internal", "hybrid"],
      publicKey: base64url(publicKey.export({ type: "spki", format: "der" })),
      publicKeyAlgorithm: algorithms[algorithm],
    },
    clientExtensionResults: {},
  };
}

/** The JSON of `PublicKeyCredential.toJSON()` after get(). */
export function authenticate(passkey: Passkey, ceremony: Ceremony) {
  const { id, userHandle, counter } = passkey;
  const authData = authDataOf(ceremony, counter, flags.present | flags.verified);
  const clientData = clientDataOf(ceremony, "webauthn.get");
  const signature = signBy(passkey, Buffer.concat([authData, sha256(clientData)]));
  return {
    ...{ id: base64url(id), rawId: base64url(id), type: "public-key", authenticatorAttachment: "platform" },
    response: {
      clientDataJSON: base64url(clientData),
      authenticatorData: base64url(authData),
      signature: base64url(ceremony.signature?.(signature) ?? signature),
      userHandle,
    },
    clientExtensionResults: {},
  };
}
