import { Type } from "../lib/json-schema.ts";
import { time } from "./schema.ts";

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

const passkeyParameter = Type.Object({
  type: Type.String({ description: "`public-key`." }),
  alg: Type.Integer({ description: "A COSE algorithm: -8 EdDSA, -7 ES256, -257 RS256." }),
});
const passkeyDescriptor = Type.Object({
  type: Type.String({ description: "`public-key`." }),
  id: Type.String({ description: "The id of a credential, base64url." }),
  transports: Type.Array(Type.String({ description: "A transport." }), { description: "How the browser reaches it." }),
});
/** PublicKeyCredentialCreationOptionsJSON of WebAuthn L3 §5.1.9, in its own spelling. */
export const passkeyOptions = Type.Object(
  {
    rp: Type.Object(
      { id: Type.String({ description: "The host name." }), name: Type.String({ description: "The service." }) },
      { description: "For whom the passkey is." },
    ),
    user: Type.Object(
      {
        id: Type.String({ description: "The person, base64url." }),
        name: Type.String({ description: "The email address." }),
        displayName: Type.String({ description: "The name." }),
      },
      { description: "Whose passkey it is." },
    ),
    challenge: Type.String({ description: "Good for one passkey within five minutes, base64url." }),
    pubKeyCredParams: Type.Array(passkeyParameter, { description: "What is accepted, the preferred first." }),
    timeout: Type.Integer({ description: "Milliseconds." }),
    excludeCredentials: Type.Array(passkeyDescriptor, { description: "The passkeys that there are." }),
    authenticatorSelection: Type.Object(
      {
        residentKey: Type.String({ description: "`required`." }),
        requireResidentKey: Type.Boolean({ description: "True." }),
        userVerification: Type.String({ description: "`required`: a PIN or biometrics." }),
      },
      { description: "What the authenticator must do." },
    ),
    attestation: Type.String({ description: "`none`." }),
  },
  {
    $id: "PasskeyOptions",
    description: "What `PublicKeyCredential.parseCreationOptionsFromJSON()` takes, in the spelling of WebAuthn.",
  },
);
