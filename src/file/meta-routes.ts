import { mayWrite, refuseLocale } from "../core/access/access.ts";
import { local, stages } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import type { Answer } from "../core/http/reply.ts";
import { type Route, route, writerOf } from "../core/http/route.ts";
import type { Json } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import type { Path } from "../core/path.ts";
import type { Code } from "../core/problem.ts";
import type { Locales } from "../translation/locale.ts";
import { localeToWrite } from "../translation/locale-wire.ts";
import type { FileStore } from "./file.ts";
import { fileAnswer } from "./member-wire.ts";
import { type MetaVerb, parseMetaChange } from "./meta.ts";
import { type AddressOptions, addressOf, type dialectNames, pathToWrite } from "./uploads-address-wire.ts";
import { fileObject } from "./wire.ts";

/** The fields of files, one by one, in each locale. Contract §5, Meta. */

const metaName = { field: Type.String({ description: "The field's name; dots separate the keys of nested objects." }) };
const metaValue = { value: Type.Unsafe<Json>({ description: "A text; in a JSON body any JSON value." }) };

const verbs = [
  ["PATCH", "update", "Update a meta field"],
  ["POST", "add", "Add a meta field"],
  ["DELETE", "delete", "Delete a meta field"],
] as const;

type Change = { path: Path; field: string; value?: Json; locale?: readonly string[] };

export function metaRoutes(
  url: string,
  names: ReturnType<typeof dialectNames>,
  files: FileStore,
  options: Pick<AddressOptions, "root" | "publicUrl"> & { locales: Locales | undefined },
): Route[] {
  const field = {
    path: pathToWrite("file", "The file."),
    ...metaName,
    locale: localeToWrite(options.locales),
  };
  const change = async (call: Call, { path, ...sent }: Change, verb: MetaVerb): Promise<Answer> => {
    const chain = sent.locale?.length ? sent.locale : undefined;
    // Without a locale a file changes in all that fall back to it.
    refuseLocale(call.access, chain?.[0]);
    const change = parseMetaChange(verb, sent.field, sent.value, chain);
    const at = addressOf(call, options);
    const reach = mayWrite(call.access, "all") ? undefined : { paths: call.access.paths };
    return fileAnswer(await files.change(path, { ...change, reach }, writerOf(call)), at);
  };
  return verbs.map(([method, verb, summary]): Route => {
    const described = {
      need: local(stages("files")),
      reply: fileObject,
      unknown: "ignored",
      isOperation: true,
      names,
      summary,
      method,
      url,
      problems: problemsOf(verb),
    } as const;
    return verb === "delete"
      ? route({ ...described, arguments: field, handle: (call, args) => change(call, args, verb) })
      : route({
          ...described,
          arguments: { ...field, ...metaValue },
          handle: (call, args) => change(call, args, verb),
        });
  });
}

const problemsOf = (verb: MetaVerb): Code[] => [
  "file_not_found",
  "path_invalid",
  "argument_conflict",
  "revision_mismatch",
  "host_invalid",
  "field_reserved",
  "field_invalid",
  "key_forbidden",
  "in_use",
  "type_too_costly",
  "locales_missing",
  "locale_unknown",
  verb === "add" ? "field_exists" : "field_not_found",
  ...(verb === "delete" ? [] : (["data_too_large", "focal_invalid"] as const)),
];
