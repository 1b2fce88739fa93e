import type { WriteContext } from "../core/event.ts";
import type { IssuedChallenge } from "./passkey-challenge.ts";
import { problem } from "./problems.ts";
import { isCounterBack } from "./webauthn.ts";

/** Passkeys: keys on a person's devices, with which a person signs in. Contract, part three, §19; decision 72. */
export type Passkey = Readonly<{
  id: string;
  /** The id of the person. */
  person: string;
  /** What the person calls it. */
  name: string;
  /** The id that the authenticator gave it, base64url. */
  credential: string;
  /** The public key as formatKey writes it. */
  key: string;
  /** How browsers reach it: a hint. */
  transports: readonly string[];
  /** What the authenticator counted at the last use; 0 when it does not count. */
  counter: number;
  createdAt: number;
  lastUsedAt: number | null;
  /** When its counter was last not above the one before: there may be a copy of the key. */
  counterBackAt: number | null;
}>;

/** A challenge that a write uses up. */
export type UsedChallenge = Pick<IssuedChallenge, "challenge" | "expiresAt">;

/** A passkey that was verified and is to be stored. */
export type NewPasskey = Readonly<{ passkey: Passkey; used: UsedChallenge }>;

/**
 * Where passkeys are stored. `create` and `delete` append an event. A person who is deleted has none any more; one who is
 * disabled keeps them, and cannot use them.
 */
export interface PasskeyStore {
  /** A person's passkeys, oldest first. */
  listOf(person: string): Promise<Passkey[]>;
  findByCredential(credential: string): Promise<Passkey | undefined>;
  /**
   * Uses the challenge up. Throws passkey_invalid (the challenge was used, or the passkey is somebody's already),
   * too_many_passkeys, person_not_found.
   */
  create(added: NewPasskey, context: WriteContext): Promise<Passkey>;
  /**
   * Uses the challenge up and stores the use. Throws sign_in_failed when it was used before, the passkey is gone, or its
   * person is not active.
   */
  use(id: string, counter: number, used: UsedChallenge, nowSeconds: number): Promise<void>;
  /** Throws passkey_not_found, also for somebody else's; last_credential. */
  delete(id: string, person: string, context: WriteContext): Promise<void>;
}

export const maxPasskeys = 50;

/** Throws passkey_invalid for a challenge that was used, also by the slower of two racing calls. */
export const challengeUsed = () =>
  problem("passkey_invalid", { argument: "passkey", rule: "the challenge was used before" });
export const passkeyTaken = () =>
  problem("passkey_invalid", { argument: "passkey", rule: "it is stored for a person already" });

/** Who has neither a password nor another passkey could not sign in any more. Throws last_credential. */
export function refuseLastCredential({ password }: { password: string | null }, otherPasskeys: number): void {
  if (password === null && otherPasskeys === 0) throw problem("last_credential");
}

/** A passkey under the names of the wire. */
export const passkeyFields = ({ id, name, createdAt, lastUsedAt, counterBackAt }: Passkey) => ({
  id,
  name,
  created_at: createdAt,
  last_used_at: lastUsedAt,
  counter_back_at: counterBackAt,
});

/** The passkey after a use with this counter. */
export const afterUse = (
  { counter, counterBackAt }: Pick<Passkey, "counter" | "counterBackAt">,
  now: number,
  nowSeconds: number,
): Pick<Passkey, "counter" | "lastUsedAt" | "counterBackAt"> => ({
  counter: Math.max(counter, now),
  lastUsedAt: nowSeconds,
  counterBackAt: isCounterBack(counter, now) ? nowSeconds : counterBackAt,
});
