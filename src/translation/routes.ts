import { refuseAllLocales } from "../core/access/access.ts";
import { local, manages, writes } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import { type Answer, noContent, taggedWith } from "../core/http/reply.ts";
import { argument, nullIn, type Route, route, textOrNull, writerOf } from "../core/http/route.ts";
import { slug } from "../core/http/schema.ts";
import { describeJson } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import type { Slug } from "../core/path.ts";
import { type EntryData, toEntryInput } from "../entry/data.ts";
import { readEntryData } from "../entry/routes.ts";
import { entryObject } from "../entry/wire.ts";
import { typeRefusals } from "../type/problems.ts";
import { type Locales, localeName, parseLocale, required, sourceLocale } from "./locale.ts";
import { problem } from "./problems.ts";
import { localeArgument, localeHeaderNames, refuseOther } from "./read-wire.ts";
import { statesOf } from "./state.ts";
import type { TranslationStore } from "./translation.ts";
import { translationObject } from "./wire.ts";
import { type WrittenOptions, writtenIn } from "./written-wire.ts";

export type TranslationOptions = WrittenOptions & { maxKeys: number };

const optionalData = argument(
  Type.Optional(
    Type.Unsafe<EntryData>({
      type: "object",
      additionalProperties: true,
      description: "The translated keys; with `visibility` and `published_at` of the translation.",
    }),
  ),
  (sent, name, call) => (sent.has(name) ? readEntryData(sent, name, call) : undefined),
);

const textList = (description: string) =>
  argument(Type.Optional(Type.Array(Type.String(), { description })), (sent, name) => {
    const value = sent.get(name);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
    throw problem("argument_invalid", { argument: name, received: describeJson(value), accepted: "a list of texts" });
  });

const onlyLocalesArgument = argument(
  Type.Optional(
    Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: "The locales in which alone the entry is public; null for all. Stands alone beside `id`.",
    }),
  ),
  (sent, name, call) => {
    const value = nullIn(call, sent.get(name));
    if (value === undefined || value === null) return value;
    if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string")) return value;
    throw problem("argument_invalid", {
      argument: name,
      received: describeJson(value),
      accepted: "a list of locales, or null",
    });
  },
);

/** /api/entries/translations: what entries say in other locales. Contract §24. */
export function translationRoutes(store: TranslationStore, options: TranslationOptions): Route[] {
  const url = "/api/entries/translations";
  const { locales } = options;
  const id = slug("The entry.");
  const locale = localeArgument(locales);
  const name = argument(
    Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: "The last part of its path in this locale; null takes it away.",
      }),
    ),
    textOrNull("one segment of a path, or null"),
  );
  const missing = ["locales_missing", "locale_unknown", "entry_not_found", "path_invalid"] as const;
  return [
    route({
      method: "GET",
      url,
      summary: "Compare an entry with its translations",
      need: manages("entries"),
      arguments: { id },
      reply: Type.Array(translationObject, { description: "Of each other locale." }),
      replyForm: {
        beside: {
          only_locales: Type.Unsafe<string[] | null>({
            anyOf: [{ type: "array", items: { type: "string" } }, { type: "null" }],
            description: "The locales in which alone the entry is public; null for all.",
          }),
        },
      },
      problems: [...missing],
      handle: async (_call, { id }) => {
        const known = required(locales);
        const found = await store.find(id);
        if (!found) throw problem("entry_not_found", { id });
        const rows = await statesOf(known.all.slice(1), found, (await options.renderer.current()).types);
        const { onlyLocales } = found.entry;
        const only = onlyLocales ? (JSON.parse(onlyLocales) as string[]).map((each) => localeName(known, each)) : null;
        return taggedWith(JSON.stringify(rows), `"only_locales":${JSON.stringify(only)}`);
      },
    }),
    route({
      method: "PATCH",
      url,
      summary: "Make or change a translation, or say where an entry is public",
      need: local(writes("entries")),
      isOperation: true,
      arguments: {
        id,
        locale,
        data: optionalData,
        name,
        checked: textList("Keys whose translation still fits what the source says now."),
        onlyLocales: onlyLocalesArgument,
      },
      reply: entryObject,
      replyForm: { headers: ["Octavo-Faults", ...localeHeaderNames] },
      problems: [...missing, "revision_mismatch", "field_invalid", "data_too_large", "name_taken", ...typeRefusals],
      handle: (call, args) => put(call, store, options, args),
    }),
    route({
      method: "DELETE",
      url,
      summary: "Move a translation to the trash",
      need: local(writes("entries")),
      isOperation: true,
      arguments: { id, locale },
      problems: [...missing, "translation_not_found", "revision_mismatch"],
      handle: async (call, { id, locale }) => {
        const other = translated(required(locales), locale);
        refuseOther(call, locales, other);
        await store.delete(id, other, writerOf(call));
        return noContent;
      },
    }),
  ];
}

/** A locale other than the source. Throws argument_missing, argument_invalid. */
export function translated(locales: Locales, locale: string | undefined): string {
  const others = locales.all.slice(1).join(", ");
  if (locale === undefined) throw problem("argument_missing", { argument: "locale", accepted: `one of ${others}` });
  if (locale !== sourceLocale) return locale;
  const accepted = `one of ${others}; the source is written at /api/entries`;
  throw problem("argument_invalid", { argument: "locale", received: locales.source, accepted });
}

type Put = {
  id: Slug;
  locale?: string;
  data?: EntryData;
  name?: string | null;
  checked?: string[];
  onlyLocales?: string[] | null;
};

async function put(call: Call, store: TranslationStore, options: TranslationOptions, args: Put): Promise<Answer> {
  const locales = required(options.locales);
  const { id, data: sent, name, checked, onlyLocales } = args;
  const context = writerOf(call);
  if (onlyLocales !== undefined) {
    const beside = (["locale", "data", "name", "checked"] as const).find((other) => args[other] !== undefined);
    if (beside) throw problem("argument_conflict", { first: "only_locales", second: beside });
    refuseAllLocales(call.access, ", since where an entry is public is of all locales");
    const list = onlyLocales?.map((each) => parseLocale(locales, each, "only_locales")) ?? null;
    await store.restrict(id, list && [...new Set(list)], context);
    return writtenIn(store, options, call.access, id, sourceLocale);
  }
  const locale = translated(locales, args.locale);
  refuseOther(call, locales, locale);
  if (sent === undefined && name === undefined && checked === undefined)
    throw problem("argument_missing", {
      argument: "data",
      accepted: "an object of fields to store, or name, checked or only_locales",
    });
  const input = sent && (await toEntryInput(sent, { isMergePatch: call.body.isMergePatch, maxKeys: options.maxKeys }));
  const written = await store.put(id, locale, { input, name, checked }, context);
  return writtenIn(store, options, call.access, id, locale, written);
}
