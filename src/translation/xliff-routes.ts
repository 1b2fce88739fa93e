import { local, manages, stages } from "../core/http/auth.ts";
import type { ReceivedFile } from "../core/http/receive.ts";
import { data } from "../core/http/reply.ts";
import { argument, type Route, route } from "../core/http/route.ts";
import { oneOf } from "../core/http/schema.ts";
import { Type } from "../core/lib/json-schema.ts";
import { readFile } from "../file/routes.ts";
import { localeName, required } from "./locale.ts";
import { subtreeArguments, subtreeOf } from "./progress-routes.ts";
import { localeArgument } from "./read-wire.ts";
import { translated } from "./routes.ts";
import { xliffOutcome } from "./wire.ts";
import type { WrittenOptions } from "./written-wire.ts";
import type { XliffStores } from "./xliff-wire.ts";

/** The media type of XLIFF. */
const xliffType = "application/xliff+xml";

// With the parsers of Markdown and XML, which a service without translators need not keep in memory.
const wire = () => import("./xliff-wire.ts");

/** /api/translations/xliff: entries as files that translators work with. Contract §24, Translators' files. */
export function xliffRoutes(stores: XliffStores, options: WrittenOptions): Route[] {
  const url = "/api/translations/xliff";
  return [
    route({
      method: "GET",
      url,
      summary: "Fetch the texts of a subtree as XLIFF",
      need: manages("entries"),
      arguments: {
        ...subtreeArguments,
        locale: localeArgument(options.locales),
        state: Type.Optional(oneOf(["missing", "outdated", "done"] as const, "Only units in this state.")),
        version: Type.Optional(oneOf(["2.1", "1.2"] as const, "The version of XLIFF; 2.1 by default.")),
      },
      replyForm: { isBare: true, type: xliffType },
      problems: ["locales_missing", "locale_unknown", "entry_not_found", "path_invalid"],
      handle: async (call, { locale, state, version = "2.1", ...subtree }) => {
        const locales = required(options.locales);
        const target = translated(locales, locale);
        const [{ entriesToTranslate }, { writeXliff }] = await Promise.all([wire(), import("./xliff/write.ts")]);
        const entries = await entriesToTranslate(stores, options, subtreeOf(call, subtree), target, call.nowSeconds);
        const head = { version, state, sourceLocale: locales.source, targetLocale: localeName(locales, target) };
        return {
          pieces: encoded(writeXliff(head, entries)),
          contentType: xliffType,
          cacheControl: "private, no-store",
          headers: ["Content-Disposition", `attachment; filename="${target}.xliff"`],
        };
      },
    }),
    route({
      method: "POST",
      url,
      summary: "Stage the translations of an XLIFF file",
      need: local(stages("entries")),
      body: "form",
      arguments: {
        file: argument(
          Type.Unsafe<ReceivedFile>({ type: "string", format: "binary", description: "XLIFF 2.1, 2.0 or 1.2." }),
          readFile,
        ),
      },
      reply: xliffOutcome,
      problems: [
        "locales_missing",
        "locale_unknown",
        "xliff_invalid",
        "too_many_copies",
        "file_too_large",
        "argument_repeated",
      ],
      handle: async (call, { file }) => {
        const locales = required(options.locales);
        const { importXliff } = await wire();
        return data(JSON.stringify(await importXliff(stores, { ...options, locales }, call, file)));
      },
    }),
  ];
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text);
}
