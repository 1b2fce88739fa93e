import type { Api, Translation } from "./api.ts";
import type { Fields, OrUndefined } from "./field.ts";
import type { CallOptions, Entry, EntryInput, UpdateOptions } from "./public.ts";
import type { Transport } from "./transport.ts";

type More = OrUndefined<Pick<Api["PATCH /api/entries/translations"]["arguments"], "name" | "checked">>;

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

  /**
   * Makes or changes a translation: `data` has the translated keys. `checked` names keys that still fit the source. Answers the
   * entry in the locale. Throws entry_not_found, revision_mismatch, data_invalid, name_taken.
   */
  async put<T extends object = Fields>(
    id: string,
    locale: string,
    data?: Partial<T> & EntryInput,
    { name, checked, ...options }: UpdateOptions & More = {},
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
