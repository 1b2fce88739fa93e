import { type Answer, data, tagOf } from "../core/http/reply.ts";
import { argument } from "../core/http/route.ts";
import { parseFlag } from "../core/lib/flag.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import { type OptionalMember, optionalMembers } from "../core/list/member.ts";

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

/** The answer with one file as another text. */
export const answerWith = (answer: Answer, text: string): Answer => ({
  ...answer,
  body: data(text).body,
  tag: `${answer.tag}-${tagOf(text).slice(0, 8)}`,
});
