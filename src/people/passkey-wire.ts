import { time } from "../core/http/schema.ts";
import { Type } from "../core/lib/json-schema.ts";

/** Passkeys on the wire. */

export const passkeyObject = Type.Object(
  {
    id: Type.String({ description: "Identifies the passkey in requests." }),
    name: Type.String({ description: "What the person calls it.", examples: ["Phone"] }),
    created_at: time("When it was added."),
    last_used_at: Type.Union([Type.Integer(), Type.Null()], {
      description: "When somebody last signed in with it, in Unix seconds; null for never.",
    }),
    counter_back_at: Type.Union([Type.Integer(), Type.Null()], {
      description:
        "When the authenticator last counted no further than before, in Unix seconds: there may be a copy of the key. Null for never.",
    }),
  },
  { $id: "Passkey", description: "A key on a person's devices, with which the person signs in." },
);

/** PublicKeyCredentialCreationOptionsJSON of WebAuthn L3 §5.1.9, which is not described a second time here. */
export const passkeyOptions = Type.Object(
  { challenge: Type.String({ description: "Good for one passkey within five minutes, base64url." }) },
  {
    $id: "PasskeyOptions",
    additionalProperties: true,
    description:
      "What `PublicKeyCredential.parseCreationOptionsFromJSON()` takes, with the names of WebAuthn: `rp`, `user`, `challenge`, " +
      "`pubKeyCredParams`, `timeout`, `excludeCredentials`, `authenticatorSelection` and `attestation`.",
  },
);
