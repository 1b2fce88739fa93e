import { randomUUID } from "node:crypto";
import type { RowStore } from "../backup/backup.ts";
import { hashSecret, type TokenStore } from "../core/access/token.ts";
import type { WriteContext } from "../core/event.ts";
import { nameOf, type Path } from "../core/path.ts";
import { isProblem } from "../core/problem.ts";
import type { EntryState, EntryStore, PutOutcome } from "../entry/entry.ts";
import type { FolderStore } from "../file/folder.ts";
import type { TranslationStore } from "../translation/translation.ts";
import { acceptedBytes, type UploadRules, type UploadStores, uploadNamed } from "../upload/upload.ts";
import type { Note } from "./import-entry.ts";
import { storedWith } from "./import-file.ts";
import { usedUuids, withFreeUuid } from "./import-path.ts";
import type { FileRules, ImportTarget, NewToken, PresentFile, ReadFile } from "./import-target.ts";
import type { ReadToken } from "./import-token.ts";

export type ImportStores = UploadStores & {
  entries: EntryStore;
  folders: FolderStore;
  tokens: TokenStore;
  translations: Pick<TranslationStore, "restrict">;
  rows: RowStore;
};

export type StoreTargetOptions = {
  rules: UploadRules;
  maxFileBytes: number;
  context: WriteContext;
  /** Writes translations, whose rules are those of the API. */
  translations: Pick<ImportTarget, "putTranslation">["putTranslation"];
};

/** A store on this machine: things keep their ids, times and secrets. */
export class StoreTarget implements ImportTarget {
  private readonly stores: ImportStores;
  private readonly options: StoreTargetOptions;
  private uuids = new Set<string>();

  constructor(stores: ImportStores, options: StoreTargetOptions) {
    this.stores = stores;
    this.options = options;
  }

  async isEmpty(): Promise<boolean> {
    return (await this.stores.entries.count()) + (await this.stores.files.count()) === 0;
  }

  async begin(): Promise<void> {
    this.uuids = await usedUuids(this.stores.rows);
  }

  async putEntry(slug: Path, read: EntryState, notes: Note[]): Promise<PutOutcome | "conflict"> {
    const { entries } = this.stores;
    const state = withFreeUuid(read, this.uuids);
    if (state !== read && !(await entries.find(slug))) notes.push("another entry has its uuid: it gets a new one");
    const restricted = await this.restrict(slug, state);
    if (restricted === "conflict" || restricted === "skipped") return restricted;
    const outcome = await entries.put(slug, state, this.options.context).catch((error) => {
      if (isProblem(error, "entry_exists")) return "conflict" as const;
      throw error;
    });
    return outcome === "unchanged" ? restricted : outcome;
  }

  /** Makes an entry that is there public in the locales that the file states; a new one is created so. */
  private async restrict(slug: Path, state: EntryState): Promise<PutOutcome | "conflict"> {
    const { onlyLocales, onConflict, isDryRun } = state;
    const found = onlyLocales === undefined ? undefined : await this.stores.entries.find(slug);
    const isSame = (found?.onlyLocales ?? null) === (onlyLocales ? JSON.stringify(onlyLocales) : null);
    if (!found || onlyLocales === undefined || isSame) return "unchanged";
    if (onConflict === "fail") return "conflict";
    if (onConflict === "skip") return "skipped";
    if (!isDryRun) await this.stores.translations.restrict(slug, onlyLocales, this.options.context);
    return "replaced";
  }

  async hasEntry(slug: Path): Promise<boolean> {
    return (await this.stores.entries.find(slug)) !== undefined;
  }

  putTranslation(...translation: Parameters<ImportTarget["putTranslation"]>): Promise<PutOutcome | "conflict"> {
    return this.options.translations(...translation);
  }

  async findFile(path: Path): Promise<PresentFile | undefined> {
    const file = await this.stores.files.find(path);
    return file && { ...file, hasHash: (hash) => file.hash === hash };
  }

  async hasFolder(path: Path): Promise<boolean> {
    return (await this.stores.folders.find(path)) !== undefined;
  }

  async createFolder(path: Path): Promise<void> {
    await this.stores.folders.create(path, this.options.context);
  }

  async comesLast(): Promise<boolean> {
    return false;
  }

  /** A dry run receives and inspects the bytes, too, since only they show whether they are accepted. */
  async putFile({ path, open, meta }: ReadFile, { onConflict, isDryRun, layout }: FileRules): Promise<void> {
    const { maxFileBytes, rules, context } = this.options;
    const staged = await this.stores.blobs.stage(open(), maxFileBytes);
    try {
      if (isDryRun) return void (await acceptedBytes(staged, nameOf(path), rules));
      const policy = onConflict === "replace" ? "replace" : "fail";
      const stored = await storedWith(meta, path, layout, rules.hasSafeNames);
      await uploadNamed(this.stores, staged, nameOf(path), { ...stored, onConflict: policy }, rules, context);
    } finally {
      await staged.discard();
    }
  }

  /** One that is there stays as it is: its limits and state were set here since. */
  async putToken({ secret, token }: ReadToken, isDryRun: boolean): Promise<NewToken> {
    const { tokens } = this.stores;
    if (await tokens.findByHash(hashSecret(secret))) return { outcome: "unchanged" };
    if (!isDryRun)
      await tokens.create({ ...token, id: randomUUID() }, { hash: hashSecret(secret) }, this.options.context);
    return { outcome: "created" };
  }
}
