import { type BackupRow, id, integer, matching, orNull, refused, text, time } from "../core/row-column.ts";
import { maxCredentialIdBytes } from "./authenticator-data.ts";
import { readBase64url } from "./base64url.ts";
import { parseKey } from "./cose-key.ts";
import { parseName } from "./person.ts";
import { areTransports } from "./webauthn.ts";

/** The rules of the rows of passkeys: see core/row.ts. */

const credential = matching((value) => {
  const bytes = readBase64url(value);
  return bytes !== undefined && bytes.length > 0 && bytes.length <= maxCredentialIdBytes;
}, "the id of a credential, base64url");
const key = matching((value) => parseKey(value) !== undefined, "a public key of EdDSA, ES256 or RS256, base64url");
const transports = matching((value) => value === "" || areTransports(value.split(",")), "names with commas");

export const passkeyRule = {
  noun: "passkey",
  columns: {
    id,
    person: id,
    name: text,
    credential,
    public_key: key,
    transports,
    counter: integer(0, 2 ** 32 - 1),
    created_at: time,
    last_used_at: orNull(time),
    counter_back_at: orNull(time),
  },
  whole: checkPasskey,
  key: ({ id }: BackupRow) => id,
};

/** Throws argument_invalid. */
function checkPasskey({ name }: BackupRow): void {
  if (parseName("name", String(name)) !== name) throw refused("name", name, "its stored form");
}
