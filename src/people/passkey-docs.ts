import { type Descriptions, type Given, samplePasskey, samplePasskeyId } from "../../api-docs/example.ts";

/** Passkeys in the reference; the examples are of a person who just signed in. */

const made = { name: "Phone", passkey: samplePasskey };
const given: Given[] = [{ method: "POST", url: "/api/people/me/passkeys", arguments: made }];

export const operations: Descriptions = {
  "GET /api/people/me/passkeys": {
    description:
      "The public keys are not told. `counter_back_at` is a signal only: keys that are kept on several devices do not count.",
    examples: [{ summary: "My passkeys", given }],
  },
  "POST /api/people/me/passkeys/options": {
    description:
      "For `navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })`. The host name " +
      "is that of the setting `public_url`, without it `localhost`; browsers make passkeys only on pages there. Needs a sign-in " +
      "within ten minutes.",
    examples: [{ summary: "Options of a new passkey" }],
  },
  "POST /api/people/me/passkeys": {
    description:
      "Takes what the browser made of the options, as `toJSON()` of the credential answers it. Verified as WebAuthn Level 3 says: " +
      "EdDSA, ES256 or RS256, attestation `none`, a user who was verified by a PIN or biometrics. The challenge is good for once. " +
      "Needs a sign-in within ten minutes.",
    examples: [{ summary: "Add a passkey", arguments: made }],
    refused: { passkey_invalid: { arguments: { passkey: {} } } },
  },
  "DELETE /api/people/me/passkeys": {
    description:
      "It signs in no more; sessions that it started go on. The last one of a person without a password stays. Needs a sign-in " +
      "within ten minutes.",
    examples: [{ summary: "Remove a passkey", arguments: { id: samplePasskeyId }, given }],
    refused: { passkey_not_found: { arguments: { id: "00000000-0000-4000-8000-000000000000" } } },
  },
};
