import type { Api, Translation, TranslationRow } from "./api.ts";
import { readRows } from "./collection.ts";
import type { Fields, OrUndefined } from "./field.ts";
import type { CallOptions, Entry, EntryInput, Page, UpdateOptions } from "./public.ts";
import type { Transport } from "./transport.ts";

type ListQuery = OrUndefined<Omit<Api["GET /api/entries/translations/list"]["arguments"], "id">>;
type Summary = Api["GET /api/entries/translations/summary"]["data"];
export type TranslationOptions = UpdateOptions &
  OrUndefined<Pick<Api["PATCH /api/entries/translations"]["arguments"], "name" | "checked">>;

/** What entries say in other locales than the source; reads of entries take `locale`. Needs a management token. */
export class Translations {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** How far the entry is translated, a row for each other locale. Throws entry_not_found. */
  async of(id: string, options?: CallOptions): Promise<Translation[]> {
    return await this.#transport.call("GET /api/entries/translations", { id }, options);
  }

  /** One page of how far entries are translated, `id` and below, a row for each entry and locale. Throws entry_not_found. */
  list(id: string, query: ListQuery = {}, options?: CallOptions): Promise<Page<TranslationRow>> {
    return readRows(this.#transport, "GET /api/entries/translations/list", { id, ...query }, options);
  }

  /** How many entries at and below the id are done, outdated and missing in each locale. Throws entry_not_found. */
  async summary(id: string, { depth, ...options }: CallOptions & { depth?: number } = {}): Promise<Summary> {
    return await this.#transport.call("GET /api/entries/translations/summary", { id, depth }, options);
  }

  /**
   * Makes or changes a translation: `data` has the translated keys. `checked` names keys that still fit the source. Answers the
   * entry in the locale. Throws entry_not_found, revision_mismatch, data_invalid, name_taken.
   */
  async put<T extends object = Fields>(
    id: string,
    locale: string,
    data?: Partial<T> & EntryInput,
    { name, checked, ...options }: TranslationOptions = {},
  ): Promise<Entry<T>> {
    const args = { id, locale, data, name, checked };
    return (await this.#transport.call("PATCH /api/entries/translations", args, options)) as Entry<T>;
  }

  /** Says in which locales alone the entry is public; null for all. Throws entry_not_found. */
  async restrict(id: string, locales: string[] | null, options?: CallOptions): Promise<Entry> {
    const args = { id, only_locales: locales };
    return (await this.#transport.call("PATCH /api/entries/translations", args, options)) as Entry;
  }

  /** Moves a translation to the trash. Throws translation_not_found. */
  async delete(id: string, locale: string, options?: CallOptions): Promise<void> {
    await this.#transport.call("DELETE /api/entries/translations", { id, locale }, options);
  }
}
