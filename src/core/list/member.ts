import { formatJson, type JsonObject } from "../lib/json.ts";
import { type Projection, projectObject } from "./projection.ts";

/** What a file object has only where a request asks for it: `options[preview]`, `options[sent_name]`. */
export const optionalMembers = ["sent_name", "preview"] as const;
export type OptionalMember = (typeof optionalMembers)[number];

/** The text of each, the name with its value. */
export type MemberTexts = Readonly<Record<OptionalMember, () => string>>;

const isOf = (key: string, name: string): boolean => key === name || key.startsWith(`${name}.`);

/**
 * The text of a file object with the members that are asked for as its last ones, in their order, in place of a client's
 * fields of these names; without those that the projection does not name. Contract, part three, §17.
 */
export function withMembers(
  item: { readonly json: string; readonly members?: MemberTexts },
  asked: readonly OptionalMember[],
  object: () => JsonObject,
  projection: Projection = { only: [], except: [] },
): string {
  const { only, except } = projection;
  const isAsked = (name: string) =>
    (only.length === 0 || only.some((key) => isOf(key, name))) && !except.includes(name);
  const isWhole = only.length === 0 && except.length === 0 && !asked.some((name) => object().has(name));
  const others = only.filter((key) => !asked.some((name) => isOf(key, name)));
  const rest = { only: others, except: [...except, ...asked] };
  const isEmpty = only.length > 0 && others.length === 0;
  const text = isWhole ? item.json : isEmpty ? "{}" : formatJson(projectObject(object(), rest));
  const { members } = item;
  if (!members) return text;
  const own = text === "{}" ? [] : [text.slice(1, -1)];
  return `{${[...own, ...asked.filter(isAsked).map((name) => members[name]())].join(",")}}`;
}
