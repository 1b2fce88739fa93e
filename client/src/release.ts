import type { Release, StagedRow } from "./api.ts";
import { readRows } from "./collection.ts";
import type {
  CallOptions,
  Page,
  ReleaseEntriesQuery,
  ReleasePublishOptions,
  ReleaseQuery,
  WriteOptions,
} from "./public.ts";
import type { Transport } from "./transport.ts";

/**
 * Working copies and drafts that go live together. `release` of `entries.stage` and `entries.create` says what is in one.
 * All methods need a management token with the resource `entries`.
 */
export class Releases {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** One page, newest first. */
  list(query: ReleaseQuery = {}, options?: CallOptions): Promise<Page<Release>> {
    return readRows(this.#transport, "GET /api/releases", query, options);
  }

  /** Throws release_not_found. */
  async fetch(id: string, options?: CallOptions): Promise<Release> {
    return this.#transport.call("GET /api/releases", { id }, options) as Promise<Release>;
  }

  /** One page of its working copies, by id; of a published release what it has published. Throws release_not_found. */
  entries(id: string, query: ReleaseEntriesQuery = {}, options?: CallOptions): Promise<Page<StagedRow>> {
    return readRows(this.#transport, "GET /api/releases/entries", { id, ...query }, options);
  }

  /** Throws too_many_releases. */
  async create(title: string, options?: CallOptions): Promise<Release> {
    return this.#transport.call("POST /api/releases", { title }, options);
  }

  /** Throws release_not_found, release_published. */
  async rename(id: string, title: string, options?: CallOptions): Promise<Release> {
    return this.#transport.call("PATCH /api/releases", { id, title }, options);
  }

  /** Its working copies stay, in no release. Throws release_not_found, publish_scheduled. */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.call("DELETE /api/releases", { id }, options);
  }

  /**
   * Makes all of it live at once, or at a time. Throws release_not_found, release_published, publish_scheduled,
   * nothing_staged, release_invalid (`entries` of the problem says what is wrong with each), with `current` staged_outdated.
   */
  async publish(id: string, { at, current, dryRun, ...options }: ReleasePublishOptions = {}): Promise<Release> {
    return this.#transport.call("POST /api/releases/publish", { id, at, current, dry_run: dryRun }, options);
  }

  /**
   * Gives its entries what they had before, and opens it again. Throws release_not_found, release_not_published,
   * release_changed (`entries` of the problem names those that were changed since), revision_not_found, release_invalid.
   */
  async undo(id: string, options?: WriteOptions): Promise<Release> {
    return this.#transport.call("POST /api/releases/undo", { id }, options);
  }
}
