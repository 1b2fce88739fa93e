import type { Api, OwnPerson, OwnSession, Passkey, PasskeyOptions, Person, PersonWithLink, Role } from "./api.ts";
import { readRows } from "./collection.ts";
import type { OrUndefined } from "./field.ts";
import type { CallOptions, OwnChange, Page, PersonChange, PersonInput, RoleInput } from "./public.ts";
import type { Transport } from "./transport.ts";

type PersonQuery = OrUndefined<Api["GET /api/people"]["arguments"]>;

/** People who sign in. All methods but those of `me` need a management token with the resource `admin`. */
export class People {
  readonly #transport: Transport;
  readonly me: Me;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.me = new Me(transport);
  }

  /** A page of the people, in the order of their invitations; 100 unless `limit` says otherwise. */
  list(query: PersonQuery = {}, options?: CallOptions): Promise<Page<Person>> {
    return readRows(this.#transport, "GET /api/people", query, options);
  }

  /** Answers the link, which is shown only once. Throws person_exists, role_not_found. */
  async invite(input: PersonInput, options?: CallOptions): Promise<PersonWithLink> {
    return this.#transport.call("POST /api/people", input, options);
  }

  /** `subject` binds the person to the issuer, null to none. Throws person_not_found, person_exists, subject_taken, role_not_found, last_owner. */
  async update(id: string, change: PersonChange, options?: CallOptions): Promise<Person> {
    return this.#transport.call("PATCH /api/people", { id, ...change }, options);
  }

  /** Answers a link for a new password, which is shown only once. Throws person_not_found, person_disabled. */
  async reset(id: string, options?: CallOptions): Promise<PersonWithLink> {
    return this.#transport.call("POST /api/people/reset", { id }, options);
  }

  /** The name stays in the log. Throws person_not_found, last_owner. */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.call("DELETE /api/people", { id }, options);
  }
}

/** The account of who is signed in. All methods need the cookie of a person's session; writes also its CSRF token. */
class Me {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async fetch(options?: CallOptions): Promise<OwnPerson> {
    return this.#transport.call("GET /api/people/me", {}, options);
  }

  /**
   * `preferences` are merged by key. Throws sign_in_failed (the current password is wrong), sign_in_again, password_weak,
   * person_exists, data_too_large.
   */
  async update(change: OwnChange, options?: CallOptions): Promise<OwnPerson> {
    return this.#transport.call("PATCH /api/people/me", change, options);
  }

  /** The own passkeys, oldest first. */
  async passkeys(options?: CallOptions): Promise<Passkey[]> {
    return this.#transport.call("GET /api/people/me/passkeys", {}, options);
  }

  /**
   * For `navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(…) })`. Throws
   * sign_in_again, passkeys_unavailable.
   */
  async passkeyOptions(options?: CallOptions): Promise<PasskeyOptions> {
    return this.#transport.call("POST /api/people/me/passkeys/options", {}, options);
  }

  /** `passkey` is what `toJSON()` of the credential answers. Throws passkey_invalid, sign_in_again, too_many_passkeys. */
  async addPasskey(name: string, passkey: object, options?: CallOptions): Promise<Passkey> {
    return this.#transport.call("POST /api/people/me/passkeys", { name, passkey }, options);
  }

  /** Throws passkey_not_found, last_credential, sign_in_again. */
  async deletePasskey(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.call("DELETE /api/people/me/passkeys", { id }, options);
  }

  /** The own live sessions, newest first. */
  async sessions(options?: CallOptions): Promise<OwnSession[]> {
    return this.#transport.call("GET /api/people/me/sessions", {}, options);
  }

  /** Throws session_not_found, also for a session of somebody else. */
  async endSession(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.call("DELETE /api/people/me/sessions", { id }, options);
  }
}

/** What people may do. All methods need a management token with the resource `admin`. */
export class Roles {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Those that are built in first. */
  async list(options?: CallOptions): Promise<Role[]> {
    return this.#transport.call("GET /api/roles", {}, options);
  }

  /** Creates or replaces a role. Throws role_built_in, too_many_roles. */
  async put(role: RoleInput, options?: CallOptions): Promise<Role> {
    return this.#transport.call("PUT /api/roles", role, options);
  }

  /** Throws role_not_found, role_built_in, role_in_use. */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.call("DELETE /api/roles", { id }, options);
  }
}
