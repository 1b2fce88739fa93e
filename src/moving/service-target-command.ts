import { setTimeout as delay } from "node:timers/promises";
import { answerOf, exactAnswerOf, readExactAnswer, type Sent, type Service } from "../cli/ask.ts";
import { Refusal } from "../cli/refusal.ts";
import { formatJson, isJsonObject, type Json, type JsonObject, maxDataDepth, parseJson } from "../core/lib/json.ts";
import { joinPath, nameOf, type Path, parentOf } from "../core/path.ts";
import { quote } from "../core/problem-row.ts";
import type { EntryState, PutOutcome } from "../entry/entry.ts";
import { fileFields } from "../file/file.ts";
import { uploadName } from "../file/name.ts";
import { type Locales, localeName } from "../translation/locale.ts";
import { entryBody } from "./import-body.ts";
import type { Note } from "./import-entry.ts";
import { notImported, refused } from "./import-refusal-command.ts";
import type { FileRules, ImportTarget, NewToken, PresentFile, ReadFile, StatedTranslation } from "./import-target.ts";
import { type ReadToken, weakText } from "./import-token.ts";
import { UnreadableFile } from "./moving.ts";
import { TranslationTarget, translationsOf } from "./translation-target-command.ts";

/**
 * A service, over its API: what that cannot set is new, and noted. Each thing is one write or two, so an import can be
 * interrupted and repeated.
 */
export class ServiceTarget implements ImportTarget {
  private readonly service: Service;
  /** What stands at a path of the uploads, as far as it was asked. */
  private readonly places = new Map<Path, Promise<Place>>();
  private tokens: Promise<string[]> | undefined;
  private readonly locales: Locales | undefined;
  private readonly translations: TranslationTarget;

  constructor({ ask, upload }: Service, locales?: Locales, wait: Wait = delay) {
    this.service = {
      ask: (...sent) => patiently(() => ask(...sent), wait),
      upload: (...sent) => patiently(() => upload(...sent), wait),
    };
    this.locales = locales;
    this.translations = new TranslationTarget(this.service.ask);
  }

  /** Of what the token sees: what it does not, it cannot replace either. */
  async isEmpty(): Promise<boolean> {
    const entries = await this.seesNone("/api/management/entries", {
      id: "",
      "filter[depth]": "*",
      "filter[limit]": 1,
    });
    return (
      entries && (await this.seesNone("/api/files", { path: "", "options[recursive]": true, "options[limit]": 1 }))
    );
  }

  private async seesNone(url: string, sent: Sent): Promise<boolean> {
    try {
      return Object.keys((await answerOf(this.service.ask, `GET ${url}`, sent)) as object).length === 0;
    } catch (error) {
      if (error instanceof Refusal && /_not_found$|^scope_missing$/.test(error.code ?? "")) return true;
      throw error;
    }
  }

  async begin(): Promise<void> {
    this.places.clear();
    this.tokens = undefined;
  }

  // -------------------------------------------------------------------------------------------------------- entries

  async putEntry(slug: Path, state: EntryState, notes: Note[]): Promise<PutOutcome | "conflict"> {
    const outcome = await this.entryOutcome(slug, state).catch(refused);
    if (outcome === "created") notes.push(...newNotes(state, ["uuid", "createdAt", "modifiedAt"]));
    if (outcome === "replaced") notes.push(...newNotes(state, ["modifiedAt"]));
    return outcome;
  }

  private async entryOutcome(slug: Path, state: EntryState): Promise<PutOutcome | "conflict"> {
    const { onConflict, isDryRun } = state;
    const [created, replaced] = [entryBody(slug, state, "created"), entryBody(slug, state, "replaced")];
    const restricted = this.restricted(slug, state);
    if (!isDryRun && (await this.isCreated(created, state.onlyLocales ? restricted : undefined))) return "created";
    const outcome = await this.triedOutcome(replaced);
    if (outcome === "created" && isDryRun) return outcome;
    const isRestricted = restricted === undefined || (await this.isRestricted(slug, restricted));
    if (outcome === "unchanged" && isRestricted) return outcome;
    if (onConflict === "fail") return "conflict";
    if (onConflict === "skip") return "skipped";
    // First: what it says then may be for these locales alone.
    if (!isDryRun && restricted !== undefined && !isRestricted) await this.ask(`PATCH ${translationsUrl}`, restricted);
    if (!isDryRun && outcome !== "unchanged") await this.ask("POST /api/entries", replaced);
    return "replaced";
  }

  /** The arguments that say in which locales the entry is public; undefined where there are no locales. */
  private restricted(id: Path, { onlyLocales }: EntryState): string | undefined {
    const { locales } = this;
    if (!locales || onlyLocales === undefined) return undefined;
    const only = onlyLocales?.map((locale) => localeName(locales, locale)) ?? null;
    return JSON.stringify({ id, only_locales: only });
  }

  private async isRestricted(slug: Path, restricted: string): Promise<boolean> {
    const only = (await translationsOf(this.service.ask, slug))?.only ?? null;
    return JSON.stringify({ id: slug, only_locales: only }) === restricted;
  }

  async hasEntry(slug: Path): Promise<boolean> {
    return (await translationsOf(this.service.ask, slug).catch(refused)) !== undefined;
  }

  putTranslation(slug: Path, locale: string, state: StatedTranslation, notes: Note[]) {
    return this.translations.put(slug, locale, state, notes);
  }

  /** With what restricts it in one batch: it is public nowhere else, not for a moment. */
  private async isCreated(body: string, restricted: string | undefined): Promise<boolean> {
    const operations = [`{"method":"POST","path":"/api/entries","body":${body}}`];
    if (restricted !== undefined)
      operations.push(`{"method":"PATCH","path":"${translationsUrl}","body":${restricted}}`);
    try {
      if (restricted === undefined) await this.ask("POST /api/entries", body);
      else await this.ask("POST /api/batch", `{"operations":[${operations.join(",")}]}`);
      return true;
    } catch (error) {
      if (error instanceof Refusal && error.code === "entry_exists") return false;
      throw error;
    }
  }

  /** What an upsert would do. Tokens whose writes are staged may create drafts, and replace nothing. */
  private async triedOutcome(body: string): Promise<string | undefined> {
    try {
      return await this.tried(body);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "scope_missing") throw error;
      return this.tried(body.replace(/"replace"\}$/, '"skip"}'));
    }
  }

  private async tried(body: string): Promise<string | undefined> {
    const operation = `{"method":"POST","path":"/api/entries","body":${body}}`;
    const [tried] = (await this.ask("POST /api/batch", `{"dry_run":true,"operations":[${operation}]}`)) as Tried[];
    return tried?.outcome;
  }

  // ---------------------------------------------------------------------------------------------------------- files

  async findFile(path: Path): Promise<PresentFile | undefined> {
    const place = await this.placeOf(path);
    return typeof place === "object" ? place : undefined;
  }

  async hasFolder(path: Path): Promise<boolean> {
    return (await this.placeOf(path)) === "folder";
  }

  async createFolder(path: Path): Promise<void> {
    await this.ask("POST /api/folders", JSON.stringify({ path })).catch(refused);
    this.places.delete(path);
  }

  /** The service may give it another name than it is to have: it is renamed then. */
  async comesLast({ path, meta }: Pick<ReadFile, "path" | "meta">): Promise<boolean> {
    const name = nameOf(path);
    return (await uploadName(meta.sentName ?? name, true)) !== name;
  }

  /** A dry run does not ask whether the bytes are accepted. */
  async putFile(file: ReadFile, { onConflict, isDryRun }: FileRules, notes: Note[]): Promise<void> {
    const { path, meta } = file;
    if (meta.statesTime) notes.push("its time of upload is new: the API sets it");
    if (isDryRun) return;
    const stored = await this.upload(file, onConflict === "replace").catch(refused);
    await this.setFields(path, stored, file, notes).catch(refused);
    for (let at = path; at !== ""; at = parentOf(at)) this.places.delete(at);
  }

  private async upload(file: ReadFile, replaces: boolean): Promise<JsonObject> {
    const { path, found, open, meta } = file;
    const name = nameOf(path);
    const fields = {
      folder: parentOf(path),
      title: meta.title,
      description: meta.description,
      on_conflict: (await this.comesLast(file)) ? "suffix" : replaces ? "replace" : "fail",
    };
    const reply = await this.service.upload("/api/files", fields, {
      name: meta.sentName ?? name,
      size: found.size,
      open: () => ofSize(open(), found.size),
    });
    const stored = (await readExactAnswer(reply)) as JsonObject;
    const stands = String(stored.get("filename"));
    if (stands !== name) await this.rename(joinPath(parentOf(path), stands), path, replaces);
    return stored;
  }

  private async rename(from: Path, path: Path, replaces: boolean): Promise<void> {
    const remove = { method: "DELETE", path: "/api/files", body: { path } };
    const move = { method: "PUT", path: "/api/files", body: { path: from, new_path: path } };
    const isTaken = replaces && (await this.findFile(path)) !== undefined;
    const operations = isTaken ? [remove, move] : [move];
    try {
      await this.ask("POST /api/batch", JSON.stringify({ operations }));
    } catch (error) {
      await this.ask("DELETE /api/files", JSON.stringify({ path: from }));
      throw error;
    }
  }

  /** Makes the fields those of the metadata, in one batch; what is refused is noted. */
  private async setFields(path: Path, there: JsonObject, file: ReadFile, notes: Note[]): Promise<void> {
    const { title, description, meta } = file.meta;
    // An upload has a title of its own in place of an empty one.
    const texts = Object.entries({ title, description }).filter(([field, value]) => there.get(field) !== value);
    const all = [
      ...texts.map(([field, value]): FieldChange => ({ method: "PATCH", field, value })),
      ...fieldChanges(ownFields(there), objectOf(meta)),
    ];
    // A dot separates the keys of nested objects.
    let changes = all.filter(({ field }) => !field.includes("."));
    for (const { field } of all.filter((change) => !changes.includes(change)))
      notes.push(`a field of its metadata is not taken: ${quote(field)} (its name has a dot)`);
    while (changes.length > 0) {
      try {
        await this.ask(
          "POST /api/batch",
          `{"operations":[${changes.map((change) => operationOf(path, change)).join(",")}]}`,
        );
        return;
      } catch (error) {
        const failed = error instanceof Refusal && error.operation !== undefined ? changes[error.operation] : undefined;
        if (!failed) throw error;
        notes.push(`a field of its metadata is not taken: ${quote(failed.field)} (${(error as Refusal).message})`);
        changes = changes.filter((change) => change !== failed);
      }
    }
  }

  private placeOf(path: Path): Promise<Place> {
    const known = this.places.get(path) ?? this.readPlace(path).catch(refused);
    this.places.set(path, known);
    return known;
  }

  private async readPlace(path: Path): Promise<Place> {
    const sent = { path, "options[limit]": 1, "options[sent_name]": true };
    try {
      const answer = await exactAnswerOf(this.service.ask, "GET /api/files", sent);
      return isJsonObject(answer) && typeof answer.get("filename") === "string" ? presentFile(answer) : "folder";
    } catch (error) {
      if (error instanceof Refusal && error.code === "file_not_found") return "nothing";
      throw error;
    }
  }

  // --------------------------------------------------------------------------------------------------------- tokens

  /** A token of the same kind, scope and title stays: which text it has, no service answers. */
  async putToken({ token }: ReadToken, isDryRun: boolean, notes: Note[]): Promise<NewToken> {
    if (notes.includes(weakText)) notes.splice(notes.indexOf(weakText), 1);
    this.tokens ??= this.readTokens();
    const there = await this.tokens.catch(refusedToken);
    const { kind, resources, label, limitCalls, state } = token;
    const wanted = { kind, resources, label, limit_calls: limitCalls, state };
    const at = there.indexOf(factsOf(wanted));
    if (at >= 0) {
      there.splice(at, 1);
      notes.push("a token of the same kind, resources and title is there: no other is made");
      return { outcome: "unchanged" };
    }
    notes.push("its text, its count of calls and its time of creation are new: the API sets them");
    if (isDryRun) return { outcome: "created" };
    const made = await this.ask("POST /api/tokens", JSON.stringify(wanted)).catch(refusedToken);
    return { outcome: "created", secret: (made as { token: string }).token };
  }

  private async readTokens(): Promise<string[]> {
    return ((await answerOf(this.service.ask, "GET /api/tokens")) as TokenFacts[]).map(factsOf);
  }

  private ask(route: string, body: string): Promise<unknown> {
    return answerOf(this.service.ask, route, body);
  }
}

const translationsUrl = "/api/entries/translations";

type Wait = (ms: number) => Promise<unknown>;
type Place = PresentFile | "folder" | "nothing";
type Tried = { outcome?: string };
type TokenFacts = { kind: string; resources: readonly string[]; label: string; limit_calls: number; state: string };

const factsOf = ({ kind, resources, label, limit_calls, state }: TokenFacts): string =>
  JSON.stringify([kind, resources.toSorted(), label, limit_calls, state]);

// ------------------------------------------------------------------------------------------------------- entries

const named = { uuid: "uuid", createdAt: "created_at", modifiedAt: "modified_at" } as const;

/** What the file states of these, and the API sets itself. */
function newNotes(state: EntryState, keys: readonly (keyof typeof named)[]): Note[] {
  const stated = keys.filter((key) => state[key] !== undefined).map((key) => named[key]);
  if (stated.length === 0) return [];
  const names = stated.length === 1 ? stated[0] : `${stated.slice(0, -1).join(", ")} and ${stated.at(-1)}`;
  return [
    `its ${names} ${stated.length === 1 ? "is" : "are"} new: the API sets ${stated.length === 1 ? "it" : "them"}`,
  ];
}

// --------------------------------------------------------------------------------------------------------- files

const objectOf = (text: string): JsonObject => parseJson(text, maxDataDepth + 1) as JsonObject;

/** The fields of a client. */
const ownFields = (file: JsonObject): JsonObject =>
  new Map([...file].filter(([key]) => !fileFields.has(key) && key !== "sent_name"));

function presentFile(file: JsonObject): PresentFile {
  const sentName = file.get("sent_name");
  return {
    title: String(file.get("title")),
    description: String(file.get("description")),
    meta: formatJson(ownFields(file)),
    sentName: typeof sentName === "string" ? sentName : null,
    size: Number(file.get("filesize")),
    hasHash: (hash) => hash.startsWith(String(file.get("version"))),
  };
}

/** The bytes, whose number the request has said. Throws UnreadableFile for a file that changes meanwhile. */
async function* ofSize(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array, void> {
  let seen = 0;
  for await (const piece of bytes) {
    seen += piece.length;
    if (seen > size) break;
    yield piece;
  }
  if (seen !== size) throw new UnreadableFile("it changed while it was read");
}

type FieldChange = { method: "POST" | "PATCH" | "DELETE"; field: string; value?: Json };

function fieldChanges(there: JsonObject, wanted: JsonObject): FieldChange[] {
  const gone = [...there.keys()].filter((field) => !wanted.has(field));
  const changed = [...wanted].filter(([field, value]) => {
    const current = there.get(field);
    return current === undefined || formatJson(current) !== formatJson(value);
  });
  return [
    ...gone.map((field): FieldChange => ({ method: "DELETE", field })),
    ...changed.map(([field, value]): FieldChange => ({ method: there.has(field) ? "PATCH" : "POST", field, value })),
  ];
}

function operationOf(path: Path, { method, field, value }: FieldChange): string {
  const body = new Map<string, Json>([
    ["path", path],
    ["field", field],
    ...(value === undefined ? [] : [["value", value] as const]),
  ]);
  return formatJson(
    new Map<string, Json>([
      ["method", method],
      ["path", "/api/files/meta"],
      ["body", body],
    ]),
  );
}

// ------------------------------------------------------------------------------------------------------ refusals

/** An import of entries and files alone needs no right to tokens. */
function refusedToken(error: unknown): never {
  if (error instanceof Refusal && error.code === "scope_missing") throw notImported(error);
  return refused(error);
}

/** How long a service is asked again that has no room: longer than the period over which it counts requests. */
const maxPatienceSeconds = 120;

/** Asks again what was refused for want of room; nothing of it was written. */
async function patiently<T>(ask: () => Promise<T>, wait: Wait): Promise<T> {
  for (let waited = 0; ; ) {
    try {
      return await ask();
    } catch (error) {
      const isFull = error instanceof Refusal && /^(?:busy|too_many_requests)$/.test(error.code ?? "");
      if (!isFull || waited >= maxPatienceSeconds) throw error;
      const seconds = Math.max(1, error.retrySeconds ?? 1);
      waited += seconds;
      await wait(seconds * 1000);
    }
  }
}
