import { type Answer, data, managementCache, modifiedDate, tagOf } from "../core/http/reply.ts";
import { argument } from "../core/http/route.ts";
import { parseFlag } from "../core/lib/flag.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import { type OptionalMember, optionalMembers } from "../core/list/member.ts";
import { type File, formatFile } from "./file.ts";
import type { UploadsAddress } from "./folder.ts";
import { addressTag } from "./uploads-address-wire.ts";

/** What a request for a file asks for besides its object. Contract §5, Uploads. */

const isOn = (value: Json | undefined): boolean => value === true || parseFlag(value) === true;

/** The members that the options ask for. */
export const membersIn = ({ options }: { options?: JsonObject | undefined }): OptionalMember[] =>
  optionalMembers.filter((name) => isOn(options?.get(name)));

const sentName = Type.Optional(
  Type.Boolean({ description: "`true` sends `sent_name`, the name under which the file was uploaded." }),
);

/** Of an upload, which has no preview yet. */
export const uploadOptions = argument(
  Type.Optional(
    Type.Unsafe<JsonObject>({
      $id: "UploadOptions",
      ...Type.Object({ sent_name: sentName }),
      description: "What the reply has besides.",
    }),
  ),
  (sent, name) => {
    const value = sent.get(name);
    return isJsonObject(value) ? value : undefined;
  },
);

/** The file object, with the ETag of its state; in a locale that of its text, too, which others of its chain may change. */
export function fileAnswer(file: File, address: UploadsAddress, cacheControl = managementCache): Answer {
  const text = formatFile(file, address);
  const answer = data(text, { tag: addressTag(file.revision, address), cacheControl });
  if ("language" in file) return answerWith(answer, text);
  return { ...answer, lastModified: modifiedDate(file.modifiedAt) };
}

/** The answer with one file as another text. */
export const answerWith = (answer: Answer, text: string): Answer => ({
  ...answer,
  body: data(text).body,
  tag: `${answer.tag}-${tagOf(text).slice(0, 8)}`,
});
