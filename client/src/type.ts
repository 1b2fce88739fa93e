import type { ContentType, Migration, MigrationStep, MigrationUndo, ModelChange, TypeCheck } from "./api.ts";
import { readRows } from "./collection.ts";
import type { CallOptions, ContentTypeInput, ModelInput, Page, TypeQuery, WriteOptions } from "./public.ts";
import type { Transport } from "./transport.ts";

/**
 * Content types: which data the entries of some paths have. Reads need a management token with `entries`, writes one with
 * `admin`.
 */
export class Types {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** One type. Throws type_not_found. */
  async fetch(id: string, options?: CallOptions): Promise<ContentType> {
    return (await this.#transport.call("GET /api/types", { id }, options)) as ContentType;
  }

  /** One page of the types, by id. */
  list(query: TypeQuery = {}, options?: CallOptions): Promise<Page<ContentType>> {
    return readRows(this.#transport, "GET /api/types", query, options);
  }

  /** Creates or replaces a type. Throws schema_invalid, type_in_use, revision_mismatch, too_many_types. */
  async put(type: ContentTypeInput, options?: WriteOptions): Promise<ContentType> {
    // A type that was fetched may have a `fault`, which no call takes.
    const { id, title, description, paths, schema, mode } = type;
    const sent = { id, title, description, paths, schema: schema as Record<string, unknown>, mode };
    return (await this.#transport.call("PUT /api/types", sent, options)) as ContentType;
  }

  /** Gives the type another id; what refers to it follows. Throws type_not_found, type_exists, plan_too_large. */
  async rename(id: string, newId: string, options?: WriteOptions): Promise<ContentType> {
    return (await this.#transport.call("PATCH /api/types", { id, new_id: newId }, options)) as ContentType;
  }

  /**
   * Makes the types those of the list, all or none, or says with `dry_run` what that changes; `prune` removes others. Throws
   * types_refused, schema_invalid, type_in_use.
   */
  async apply(model: ModelInput, options?: WriteOptions): Promise<ModelChange> {
    return (await this.#transport.call("POST /api/types/apply", model as never, options)) as ModelChange;
  }

  /** Deletes a type; its entries stay as they are. Throws type_not_found, type_in_use, revision_mismatch. */
  async delete(id: string, options?: WriteOptions): Promise<void> {
    await this.#transport.call("DELETE /api/types", { id }, options);
  }

  /**
   * What the type would refuse of what is stored; stores nothing. With `has_more` its time ended at the entry `last`: send
   * that as `after` to go on. Throws schema_invalid.
   */
  async check(
    type: Pick<ContentTypeInput, "id" | "paths" | "schema">,
    options: CallOptions & { after?: string | undefined } = {},
  ): Promise<TypeCheck> {
    const { id, paths, schema } = type;
    const { after, ...call } = options;
    return (await this.#transport.call("POST /api/types/check", { id, paths, schema, after }, call)) as TypeCheck;
  }

  /**
   * Changes fields of types with all entries and working copies, or nothing; the same again does nothing. With `dryRun` it says
   * what would change. Throws type_not_found, migration_invalid, plan_too_large.
   */
  migrate(
    steps: readonly MigrationStep[],
    options: WriteOptions & { dryRun?: boolean | undefined } = {},
  ): Promise<Migration> {
    const { dryRun, ...write } = options;
    return this.#transport.call("POST /api/types/migrate", { steps: [...steps], dry_run: dryRun }, write);
  }

  /** Undoes a migration, by its `group`. Throws migration_not_found, migration_changed, revision_not_found. */
  undoMigration(group: number, options?: WriteOptions): Promise<MigrationUndo> {
    return this.#transport.call("POST /api/types/migrate/undo", { group }, options);
  }
}
