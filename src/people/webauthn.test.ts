import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server";
import {
  authenticate,
  type Ceremony,
  cbor,
  coseKey,
  flags,
  keyPairs,
  newPasskey,
  type Passkey,
  register,
  signBy,
} from "../../test/authenticator.ts";
import { fc } from "../../test/fast-check.ts";
import { type JsonObject, parseJson } from "../core/lib/json.ts";
import { isProblem } from "../core/problem.ts";
import { type Algorithm, algorithms, formatKey, parseKey } from "./cose-key.ts";
import {
  creationOptions,
  isCounterBack,
  readAuthentication,
  readRegistration,
  requestOptions,
  verifyAuthentication,
  verifyRegistration,
} from "./webauthn.ts";

const relyingParty = { id: "cms.example.org", origin: "https://cms.example.org", name: "Octavo" };
const challenge = randomBytes(32).toString("base64url");
const good: Ceremony = { challenge, origin: relyingParty.origin, rpId: relyingParty.id };
const ceremony = { relyingParty, challenge };

type Sent = { id: string; rawId: string; type: string; response: Record<string, unknown> };
const toJson = (sent: unknown): JsonObject => parseJson(JSON.stringify(sent)) as JsonObject;

/** The refusal's rule; undefined when the response is accepted. */
function refusal(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    assert.ok(isProblem(error, "passkey_invalid"), `${error}`);
    return error.detail;
  }
}

const registered = (sent: Sent) => verifyRegistration(readRegistration(toJson(sent)), ceremony);

async function isAccepted(run: () => Promise<{ verified: boolean }>): Promise<boolean> {
  try {
    return (await run()).verified;
  } catch {
    return false;
  }
}

const libraryRegisters = (sent: Sent): Promise<boolean> =>
  isAccepted(() =>
    verifyRegistrationResponse({
      response: structuredClone(sent) as never,
      ...{ expectedChallenge: challenge, expectedOrigin: relyingParty.origin, expectedRPID: relyingParty.id },
      ...{ requireUserVerification: true, supportedAlgorithmIDs: Object.values(algorithms) },
    }),
  );

const libraryAuthenticates = (sent: Sent, passkey: Passkey, counter: number): Promise<boolean> =>
  isAccepted(() =>
    verifyAuthenticationResponse({
      response: structuredClone(sent) as never,
      ...{ expectedChallenge: challenge, expectedOrigin: relyingParty.origin, expectedRPID: relyingParty.id },
      requireUserVerification: true,
      credential: {
        id: passkey.id.toString("base64url"),
        publicKey: new Uint8Array(coseKey(passkey.algorithm, passkey.publicKey)),
        counter,
      },
    }),
  );

/** A response that differs from a good one. `library`: what it answers where it is not the same as ours, and why. */
type Vector = {
  name: string;
  ceremony?: (passkey: Passkey) => Partial<Ceremony>;
  sent?: (sent: Sent) => unknown;
  rule?: RegExp;
  library?: [accepts: boolean, why: string];
  only?: Algorithm;
};

const inResponse =
  (name: string, change: (text: string) => unknown) =>
  (sent: Sent): Sent => ({ ...sent, response: { ...sent.response, [name]: change(sent.response[name] as string) } });
const changedAt =
  (at: number) =>
  (text: string): string => {
    const bytes = Buffer.from(text, "base64url");
    const index = at < 0 ? bytes.length + at : at;
    bytes[index] = (bytes[index] as number) ^ 1;
    return bytes.toString("base64url");
  };
const cut = (text: string): string => Buffer.from(text, "base64url").subarray(0, -1).toString("base64url");
const bytesBehind = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.from([0])]);
const lenient = (why: string): [boolean, string] => [true, why];

const cutBytes = lenient("it takes the bytes that are there");

const ofBoth: Vector[] = [
  { name: "a good one" },
  { name: "a synchronised one", ceremony: () => ({ flags: { on: flags.syncable | flags.synced } }) },
  { name: "without crossOrigin", ceremony: () => ({ clientData: { crossOrigin: undefined } }) },
  { name: "with members that are not known yet", ceremony: () => ({ clientData: { other_keys: "any" } }) },
  {
    name: "with extensions",
    ceremony: () => ({ extensions: cbor.map([cbor.text("credProtect"), cbor.number(2)]) }),
  },
  { name: "another origin", ceremony: () => ({ origin: "https://evil.example" }), rule: /the page was not of/ },
  { name: "a subdomain", ceremony: () => ({ origin: "https://a.cms.example.org" }), rule: /the page was not of/ },
  { name: "another port", ceremony: () => ({ origin: "https://cms.example.org:8443" }), rule: /the page was not of/ },
  { name: "the origin over http", ceremony: () => ({ origin: "http://cms.example.org" }), rule: /the page was not of/ },
  {
    name: "an origin that is a list",
    ceremony: () => ({ clientData: { origin: [relyingParty.origin] } }),
    rule: /page/,
  },
  { name: "another service's key", ceremony: () => ({ rpId: "evil.example" }), rule: /the key is not for/ },
  { name: "the parent domain's key", ceremony: () => ({ rpId: "example.org" }), rule: /the key is not for/ },
  { name: "another challenge", ceremony: () => ({ challenge: "AAAA" }), rule: /challenge is another/ },
  { name: "no challenge", ceremony: () => ({ clientData: { challenge: undefined } }), rule: /no challenge/ },
  {
    name: "a challenge that is a list",
    ceremony: () => ({ clientData: { challenge: [challenge] } }),
    rule: /no chall/,
  },
  {
    name: "without a verified user",
    ceremony: () => ({ flags: { off: flags.verified } }),
    rule: /not verify the user/,
  },
  { name: "without a present user", ceremony: () => ({ flags: { off: flags.present } }), rule: /not present/ },
  { name: "synchronised, though it cannot", ceremony: () => ({ flags: { on: flags.synced } }), rule: /contradict/ },
  {
    name: "in a frame",
    ceremony: () => ({ clientData: { crossOrigin: true } }),
    rule: /in a frame/,
    library: lenient("it asks for topOrigin"),
  },
  {
    name: "a client that is no object",
    sent: inResponse("clientDataJSON", () => Buffer.from("null").toString("base64url")),
    rule: /no challenge/,
  },
  {
    name: "a client that is no JSON",
    sent: inResponse("clientDataJSON", () => Buffer.from("{").toString("base64url")),
    rule: /no JSON/,
  },
  { name: "cut client data", sent: inResponse("clientDataJSON", cut), rule: /no JSON/ },
  { name: "extensions that are cut off", ceremony: () => ({ extensions: Buffer.from([0xa1, 0x61]) }), rule: /cut off/ },
  {
    name: "extensions that are no map",
    ceremony: () => ({ extensions: Buffer.from([0x80]) }),
    rule: /no map/,
    library: lenient("it does not look at them"),
  },
  { name: "bytes behind", ceremony: () => ({ authData: bytesBehind }), rule: /bytes follow/ },
  { name: "cut authenticator data", ceremony: () => ({ authData: (all) => all.subarray(0, 36) }), rule: /cut off/ },
  { name: "another type of credential", sent: (sent) => ({ ...sent, type: "password" }), rule: /"type"/ },
  { name: "no response", sent: ({ response: _, ...sent }) => sent, rule: /"response"/ },
  { name: "two ids", sent: (sent) => ({ ...sent, rawId: "AAAA" }), rule: /"id" and "rawId"/ },
  { name: "no id", sent: (sent) => ({ ...sent, id: "", rawId: "" }), rule: /"id" and "rawId"/ },
  {
    name: "an id that is no base64url",
    sent: (sent) => ({ ...sent, id: "a b", rawId: "a b" }),
    rule: /"id" and "rawId"/,
    library: lenient("it does not look at the id"),
  },
];

const ofRegistration: Vector[] = [
  { name: "of a use", ceremony: () => ({ type: "webauthn.get" }), rule: /not of the type/ },
  {
    name: "a statement by the key itself, as browsers let pass",
    ceremony: (passkey) => ({ attestation: packedBy(passkey, passkey) }),
  },
  {
    name: "a statement by another key",
    ceremony: (passkey) => ({ attestation: packedBy(newPasskey(passkey.algorithm), passkey) }),
    rule: /not signed by the key/,
  },
  {
    name: "a statement of another algorithm",
    only: "RS256",
    ceremony: (passkey) => ({ attestation: packedBy(passkey, { ...passkey, algorithm: otherThan(passkey) }) }),
    rule: /is not "none"/,
    library: lenient("it does not look at the name"),
  },
  {
    name: "none, with a statement",
    ceremony: () => ({ attestation: () => ["none", cbor.map([cbor.text("sig"), cbor.bytes(Buffer.alloc(8))])] }),
    rule: /is not "none"/,
  },
  { name: "an unknown format", ceremony: () => ({ attestation: () => ["mine", cbor.map()] }), rule: /is not "none"/ },
  {
    name: "a statement that is no map",
    ceremony: () => ({ attestation: () => ["none", cbor.number(1)] }),
    rule: /no st/,
    library: lenient("it counts what it does not have"),
  },
  { name: "without a key", ceremony: () => ({ flags: { off: flags.credential } }), rule: /./ },
  { name: "an empty object", ceremony: () => ({ object: () => cbor.map() }), rule: /no authenticator data/ },
  { name: "a list", ceremony: () => ({ object: () => Buffer.from([0x80]) }), rule: /no authenticator data/ },
  { name: "no bytes", ceremony: () => ({ object: () => Buffer.alloc(0) }), rule: /cut off/ },
  {
    name: "a cut object",
    ceremony: () => ({ object: (bytes) => bytes.subarray(0, -1) }),
    rule: /cut off/,
    library: cutBytes,
  },
  {
    name: "bytes behind the object",
    ceremony: () => ({ object: bytesBehind }),
    rule: /bytes follow/,
    library: lenient("it reads the first item"),
  },
  {
    name: "an object of endless length",
    ceremony: () => ({
      object: (bytes) => Buffer.concat([Buffer.from([0xbf]), bytes.subarray(1), Buffer.from([0xff])]),
    }),
    rule: /indefinite/,
  },
  {
    name: "a length that is longer than it needs to be",
    ceremony: () => ({ object: (bytes) => Buffer.concat([Buffer.from([0xb8, 3]), bytes.subarray(1)]) }),
    rule: /longer than it needs/,
  },
  {
    name: "a key of an algorithm that was not asked for",
    ceremony: ({ algorithm, publicKey }) => ({ key: coseKey(algorithm, publicKey, { 3: cbor.number(-47) }) }),
    rule: /no key of/,
  },
  {
    name: "a key without an algorithm",
    ceremony: ({ algorithm, publicKey }) => ({ key: coseKey(algorithm, publicKey, { 3: cbor.text("ES256") }) }),
    rule: /no key of/,
  },
  {
    name: "a key that is cut off",
    ceremony: ({ algorithm, publicKey }) => ({ key: coseKey(algorithm, publicKey).subarray(0, -1) }),
    rule: /cut off/,
    library: cutBytes,
  },
  { name: "a key that is no map", ceremony: () => ({ key: cbor.number(1) }), rule: /no key of/, library: [false, ""] },
  {
    name: "an algorithm of another type of key",
    ceremony: ({ algorithm, publicKey }) => ({
      key: coseKey(algorithm, publicKey, { 3: cbor.number(algorithms[otherThan({ algorithm })]) }),
    }),
    rule: /no key of/,
    library: lenient("it reads the numbers when the key is used"),
  },
  {
    name: "a point that is not on the curve",
    only: "ES256",
    ceremony: ({ algorithm, publicKey }) => ({
      key: coseKey(algorithm, publicKey, { "-3": cbor.bytes(Buffer.alloc(32, 7)) } as Record<number, Buffer>),
    }),
    rule: /no key of/,
    library: lenient("it reads the numbers when the key is used"),
  },
  {
    name: "a short RSA key",
    only: "RS256",
    ceremony: ({ algorithm, publicKey }) => ({
      key: coseKey(algorithm, publicKey, { "-1": cbor.bytes(Buffer.alloc(128, 0xff)) } as Record<number, Buffer>),
    }),
    rule: /no key of/,
    library: lenient("it takes RSA keys of any length"),
  },
  {
    name: "another id than the key's",
    sent: (sent) => ({ ...sent, id: "AAAA", rawId: "AAAA" }),
    rule: /not the id of/,
    library: lenient("it answers the id of the data"),
  },
];

const ofAuthentication: Vector[] = [
  { name: "of a registration", ceremony: () => ({ type: "webauthn.create" }), rule: /not of the type/ },
  { name: "without a user handle", sent: inResponse("userHandle", () => undefined) },
  { name: "a changed signature", sent: inResponse("signature", changedAt(-1)), rule: /not by this key/ },
  { name: "a cut signature", sent: inResponse("signature", cut), rule: /not by this key/ },
  { name: "no signature", sent: inResponse("signature", () => ""), rule: /not by this key/ },
  { name: "a signature that is a number", sent: inResponse("signature", () => 1), rule: /base64url/ },
  { name: "a changed counter", sent: inResponse("authenticatorData", changedAt(36)), rule: /not by this key/ },
  {
    name: "client data with a space more",
    sent: inResponse("clientDataJSON", (text) =>
      Buffer.from(`${Buffer.from(text, "base64url")} `).toString("base64url"),
    ),
    rule: /not by this key/,
  },
  {
    name: "signed by another key",
    ceremony: (passkey) => ({ signature: () => signBy(newPasskey(passkey.algorithm), Buffer.alloc(69)) }),
    rule: /not by this key/,
  },
];

const otherThan = ({ algorithm }: Pick<Passkey, "algorithm">): Algorithm => (algorithm === "ES256" ? "EdDSA" : "ES256");

const packedBy =
  (signer: Passkey, { algorithm }: Passkey): Ceremony["attestation"] =>
  (authData, clientHash) => {
    const sig = signBy(signer, Buffer.concat([authData, clientHash]));
    const alg = cbor.number(algorithms[algorithm]);
    return ["packed", cbor.map([cbor.text("alg"), alg], [cbor.text("sig"), cbor.bytes(sig)])];
  };

for (const algorithm of Object.keys(algorithms) as Algorithm[]) {
  test(`a key of ${algorithm} is registered or refused, as the library says`, async () => {
    const passkey = newPasskey(algorithm);
    for (const vector of [...ofBoth, ...ofRegistration]) {
      if (vector.only && vector.only !== algorithm) continue;
      const sent = register(passkey, { ...good, ...vector.ceremony?.(passkey) }) as Sent;
      const made = (vector.sent?.(sent) ?? sent) as Sent;
      const found = refusal(() => registered(made));
      if (vector.rule) assert.match(found ?? "accepted", vector.rule, vector.name);
      else assert.equal(found, undefined, vector.name);
      const expected = vector.library?.[0] ?? found === undefined;
      assert.equal(await libraryRegisters(made), expected, `the library: ${vector.name}`);
    }
  });

  test(`a use of a key of ${algorithm} is accepted or refused, as the library says`, async () => {
    const passkey = newPasskey(algorithm);
    const stored = parseKey(formatKey(registered(register(passkey, good)).key));
    assert.ok(stored);
    assert.equal(stored.algorithm, algorithm);
    for (const vector of [...ofBoth, ...ofAuthentication]) {
      const sent = authenticate(passkey, { ...good, ...vector.ceremony?.(passkey) }) as Sent;
      const made = (vector.sent?.(sent) ?? sent) as Sent;
      const found = refusal(() => verifyAuthentication(readAuthentication(toJson(made)), stored, ceremony));
      if (vector.rule) assert.match(found ?? "accepted", vector.rule, vector.name);
      else assert.equal(found, undefined, vector.name);
      const expected = vector.library?.[0] ?? found === undefined;
      assert.equal(await libraryAuthenticates(made, passkey, 0), expected, `the library: ${vector.name}`);
    }
  });

  test(`no changed byte of a response of ${algorithm} is accepted`, () => {
    const passkey = newPasskey(algorithm);
    const { key } = registered(register(passkey, good));
    const sent = authenticate(passkey, good);
    for (const name of ["authenticatorData", "signature", "clientDataJSON"] as const) {
      for (let at = 0; at < Buffer.from(sent.response[name], "base64url").length; at++) {
        const changed = inResponse(name, changedAt(at))(sent);
        assert.ok(
          refusal(() => verifyAuthentication(readAuthentication(toJson(changed)), key, ceremony)),
          `${name} ${at}`,
        );
      }
    }
  });
}

test("a cut attestation object is refused at every place", () => {
  const sent = register(newPasskey("ES256"), good);
  const bytes = Buffer.from(sent.response.attestationObject, "base64url");
  for (let size = 0; size < bytes.length; size++) {
    const part = bytes.subarray(0, size).toString("base64url");
    assert.ok(
      refusal(() => registered(inResponse("attestationObject", () => part)(sent))),
      `${size} bytes`,
    );
  }
});

test("any bytes in place of the attestation object are refused as a passkey that is not valid", () => {
  const sent = register(newPasskey("ES256"), good);
  const object = Buffer.from(sent.response.attestationObject, "base64url");
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    // A good one with some bytes changed: deeper in the reader.
    fc.array(fc.tuple(fc.nat(object.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }).map((changes) => {
      const changed = Buffer.from(object);
      for (const [at, value] of changes) changed[at] = value;
      return changed;
    }),
  );
  fc.assert(
    fc.property(bytes, (bytes) => {
      // Another refusal than passkey_invalid fails in `refusal`; changes of the AAGUID are good ones.
      refusal(() => registered(inResponse("attestationObject", () => Buffer.from(bytes).toString("base64url"))(sent)));
    }),
    { numRuns: 2000 },
  );
});

test("a counter that is not above the one before is a signal, where the library refuses", async () => {
  const passkey = newPasskey("ES256");
  const { key } = registered(register(passkey, good));
  for (const [before, now, isBack] of [
    [0, 0, false],
    [0, 1, false],
    [1, 2, false],
    [2, 2, true],
    [3, 2, true],
    [3, 0, true],
  ] as const) {
    const sent = authenticate({ ...passkey, counter: now }, good);
    const read = readAuthentication(toJson(sent));
    assert.equal(
      refusal(() => verifyAuthentication(read, key, ceremony)),
      undefined,
    );
    assert.equal(isCounterBack(before, read.data.counter), isBack, `${before} ${now}`);
    assert.equal(await libraryAuthenticates(sent, passkey, before), !isBack, `the library: ${before} ${now}`);
  }
});

test("the same response is no answer to another challenge", () => {
  const passkey = newPasskey("EdDSA");
  const { key } = registered(register(passkey, good));
  const read = readAuthentication(toJson(authenticate(passkey, good)));
  const other = { relyingParty, challenge: randomBytes(32).toString("base64url") };
  assert.match(refusal(() => verifyAuthentication(read, key, other)) ?? "", /challenge is another/);
});

test("a passkey's facts are those that the authenticator sent", () => {
  const passkey = { ...newPasskey("ES256"), counter: 7 };
  const sent = register(passkey, good);
  const { id, counter, transports, key } = registered(sent);
  assert.deepEqual([id, counter, transports], [sent.id, 7, ["hybrid", "internal"]]);
  assert.ok(key.key.equals(passkey.publicKey));
  const odd = inResponse("transports", () => ["usb", "usb", "NO", 5, null, "x".repeat(40)])(sent);
  assert.deepEqual(registered(odd).transports, ["usb"]);
  assert.deepEqual(registered(inResponse("transports", () => "usb")(sent)).transports, []);
});

test("a key is stored as text, and no other text is read as one", () => {
  for (const algorithm of Object.keys(algorithms) as Algorithm[]) {
    const { publicKey } = keyPairs[algorithm]();
    const text = formatKey({ algorithm, key: publicKey });
    assert.equal(parseKey(text)?.algorithm, algorithm);
    assert.equal(parseKey(`${text}=`), undefined);
    assert.equal(parseKey(text.slice(0, -4)), undefined);
  }
  assert.equal(parseKey(""), undefined);
  assert.equal(parseKey("AAAA"), undefined);
});

test("the options ask for keys that are discoverable and verify the user, and for no attestation", () => {
  const user = { handle: "dXNlcg", name: "ada@example.org", displayName: "Ada" };
  assert.deepEqual(creationOptions(relyingParty, "AAAA", user, [{ id: "AQID", transports: ["usb"] }]), {
    rp: { id: "cms.example.org", name: "Octavo" },
    user: { id: "dXNlcg", name: "ada@example.org", displayName: "Ada" },
    challenge: "AAAA",
    pubKeyCredParams: [
      { type: "public-key", alg: -8 },
      { type: "public-key", alg: -7 },
      { type: "public-key", alg: -257 },
    ],
    timeout: 300_000,
    excludeCredentials: [{ type: "public-key", id: "AQID", transports: ["usb"] }],
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    attestation: "none",
  });
  assert.deepEqual(requestOptions(relyingParty, "AAAA"), {
    challenge: "AAAA",
    timeout: 300_000,
    rpId: "cms.example.org",
    allowCredentials: [],
    userVerification: "required",
  });
});
