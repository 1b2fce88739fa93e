import { formatJson, isJsonObject, isSameJson, type Json, type JsonObject, parseJson } from "../core/lib/json.ts";
import { keyOfSegment } from "../core/lib/json-path.ts";
import { localizedKeyword, maxSubschemas } from "../type/walk.ts";
import { converted, type Target } from "./convert.ts";
import { marked } from "./mark.ts";
import { each, type Place, renamedMember } from "./place.ts";
import { isRename, type Step } from "./step.ts";

/**
 * What steps make of the schema of a type: its fields are renamed, moved, converted, removed wherever the schema speaks of them, with
 * `required` and their order. Parts of other types stay as they are.
 */

/** The schema after the steps, the same text where they change nothing. `isShared`: other types refer to parts of it. */
export function migratedSchema(text: string, steps: readonly Step[], isShared: boolean): string {
  const before = parseJson(text);
  if (!isJsonObject(before)) return text;
  const root = parseJson(text) as JsonObject;
  const edit = new SchemaEdit(root, isShared);
  for (const step of steps) edit.do(step);
  return isSameJson(before, root) && formatJson(before) === formatJson(root) ? text : formatJson(root);
}

/** Keywords with lists of names of members. */
const nameLists = ["required", "x-octavo-order"] as const;

/** Changes a schema in place. */
class SchemaEdit {
  private readonly root: JsonObject;
  private readonly isShared: boolean;

  constructor(root: JsonObject, isShared: boolean) {
    this.root = root;
    this.isShared = isShared;
  }

  do(step: Step): void {
    if ("from" in step) this[isRename(step) ? "rename" : "move"](step.from, step.to);
    else if (step.kind === "drop") this.drop(step.at);
    else if (step.kind === "convert") this.convert(step.at, step.to);
    else this.setDefault(step.at, step.value);
  }

  private rename(from: Place, to: Place): void {
    const [name, other] = [from.at(-1) as string, to.at(-1) as string];
    for (const holder of this.owned(from)) renameIn(holder, name, other);
  }

  private drop(at: Place): void {
    const name = at.at(-1) as string;
    for (const holder of this.owned(at)) dropIn(holder, name);
  }

  private move(from: Place, to: Place): void {
    const [name, parent] = [from.at(-1) as string, from.slice(0, -1)];
    const isRequired = from.every((part, i) => part === each || this.requires(from.slice(0, i), part));
    const holders = this.owned(from);
    const isLocalized = this.isLocalized(from[0] as string);
    const moved = holders.map((holder) => marked(membersOf(holder).get(name), isLocalized && to.length === 1));
    const required = holders.map((holder) => namesIn(holder, "required").includes(name));
    for (const holder of holders) dropIn(holder, name);
    // Each alternative keeps what it says of the field; elsewhere there is one place for it.
    if (parent.every((part, i) => to[i] === part))
      for (const [i, holder] of holders.entries())
        this.add(holder, to.slice(parent.length), moved[i], required[i] === true);
    else
      this.add(
        this.root,
        to,
        moved.find((schema) => schema !== undefined),
        isRequired,
      );
  }

  /** True for a field of the data that can be translated. */
  private isLocalized(name: string): boolean {
    return this.applied([this.root], true).some((node) => {
      const member = memberOf(node, name);
      return isJsonObject(member) && member.has(localizedKeyword);
    });
  }

  private convert(at: Place, to: Target): void {
    const name = at.at(-1) as string;
    for (const holder of this.owned(at)) {
      const value = memberOf(holder, name);
      if (!isJsonObject(value)) continue;
      const nodes = this.applied([value], false);
      if (to !== "list") this.convertNodes(value, to);
      else if (!nodes.some(isOfLists)) setMember(holder, name, listOf(value));
    }
  }

  private convertNodes(value: JsonObject, to: Target): void {
    const nodes = this.applied([value], true);
    const isTyped = nodes.some((node) => node.has("type"));
    for (const node of nodes) convertIn(node, to, node === value && !isTyped);
  }

  private setDefault(at: Place, value: Json): void {
    const name = at.at(-1) as string;
    const holders = this.owned(at).filter((holder) => memberOf(holder, name) !== undefined);
    const [holder] = holders;
    const member = holder && memberOf(holder, name);
    const described = new Map(isJsonObject(member) ? member : []).set("default", value);
    if (holder) setMember(holder, name, described);
    else this.add(this.root, at, described, false);
  }

  /**
   * Puts what is said of a field at a place below the subschema, unless something is said there; objects on the way there are
   * described where they are not.
   */
  private add(top: JsonObject, place: Place, schema: Json | undefined, isRequired: boolean): void {
    if (schema === undefined && !isRequired) return;
    let nodes = this.applied([top], true);
    for (const [i, name] of place.entries()) {
      const known = nodes.find((node) => memberOf(node, name) !== undefined);
      const holder = known ?? nodes.find((node) => node.has("properties")) ?? nodes[0];
      if (!holder) return;
      const said = i === place.length - 1 ? schema : containerOf(place[i + 1] as string);
      if (!known && said !== undefined) setMember(holder, name, said);
      const names = namesIn(holder, "required");
      if (isRequired && name !== each && !names.includes(name)) holder.set("required", [...names, name]);
      nodes = this.applied(
        nodes.flatMap((node) => membersAt(node, name)),
        true,
      );
    }
  }

  private requires(place: Place, name: string): boolean {
    return this.reach(place, false).some((node) => namesIn(node, "required").includes(name));
  }

  /** The subschemas that name the member at the end of the place, each used there alone. */
  private owned(place: Place): JsonObject[] {
    const name = place.at(-1) as string;
    const parent = place.slice(0, -1);
    if (!this.reach(parent, false).some((node) => isNamedIn(node, name))) return [];
    return this.reach(parent, true).filter((node) => isNamedIn(node, name));
  }

  /** The subschemas that apply to a place of the data. `isOwn`: parts that others use, too, are copied before. */
  private reach(place: Place, isOwn: boolean): JsonObject[] {
    let nodes = this.applied([this.root], isOwn);
    for (const name of place)
      nodes = this.applied(
        nodes.flatMap((node) => membersAt(node, name)),
        isOwn,
      );
    return nodes;
  }

  /** These subschemas with those that apply to the same value. */
  private applied(nodes: readonly JsonObject[], isOwn: boolean): JsonObject[] {
    const found = new Set(nodes);
    for (const node of found) {
      for (const next of inPlace(node)) found.add(next);
      const target = isOwn ? this.ownTarget(node) : this.targetOf(node.get("$ref"));
      if (target) found.add(target);
    }
    return [...found];
  }

  /** What a reference within the schema leads to. */
  private targetOf(ref: Json | undefined): JsonObject | undefined {
    if (typeof ref !== "string" || !/^#(?:\/|$)/.test(ref)) return undefined;
    let found: Json | undefined = this.root;
    for (const segment of decoded(ref).split("/").slice(1)) {
      const key = keyOfSegment(segment);
      found = isJsonObject(found) ? found.get(key) : Array.isArray(found) ? found[Number(key)] : undefined;
    }
    return isJsonObject(found) ? found : undefined;
  }

  /** The same as a part that nothing else refers to: a copy where there is another reference. */
  private ownTarget(node: JsonObject): JsonObject | undefined {
    const ref = node.get("$ref");
    const target = this.targetOf(ref);
    if (!target) return undefined;
    if (target !== this.root && !this.isShared && this.countOf(ref as string) === 1) return target;
    const parts = this.root.get("$defs");
    const definitions: JsonObject = isJsonObject(parts) ? parts : new Map();
    const name = freeName(definitions, (ref as string).split("/").at(-1) || "part");
    const copy = parseJson(formatJson(target)) as JsonObject;
    if (target === this.root) copy.delete("$defs");
    this.root.set("$defs", definitions.set(name, copy));
    node.set("$ref", `#/$defs/${name}`);
    return copy;
  }

  private countOf(ref: string): number {
    let count = 0;
    const left: Json[] = [this.root];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (Array.isArray(next)) left.push(...next);
      if (!isJsonObject(next)) continue;
      const other = next.get("$ref");
      if (other === ref || (typeof other === "string" && other.startsWith(`${ref}/`))) count++;
      left.push(...next.values());
    }
    return count;
  }
}

/** What holds a member of this name. */
const containerOf = (name: string): JsonObject => new Map([["type", name === each ? "array" : "object"]]);

const decoded = (ref: string): string => {
  try {
    return decodeURIComponent(ref);
  } catch {
    return ref;
  }
};

/** A schema has fewer parts than this, so one name is free. */
function freeName(taken: JsonObject, like: string): string {
  const base = decoded(like).replace(/[^\w-]/g, "") || "part";
  const names = Array.from({ length: maxSubschemas + 1 }, (_, i) => (i === 0 ? base : `${base}_${i + 1}`));
  return names.find((name) => !taken.has(name)) ?? base;
}

const objectsIn = (value: Json | undefined): JsonObject[] =>
  (Array.isArray(value) ? value : isJsonObject(value) ? [...value.values()] : []).filter(isJsonObject);

/** The subschemas of a node that apply to the same value. */
const inPlace = (node: JsonObject): JsonObject[] => [
  ...["allOf", "anyOf", "oneOf", "dependentSchemas"].flatMap((keyword) => objectsIn(node.get(keyword))),
  ...["if", "then", "else", "not"].flatMap((keyword) => node.get(keyword) ?? []).filter(isJsonObject),
];

const membersOf = (node: JsonObject): JsonObject => {
  const properties = node.get("properties");
  return isJsonObject(properties) ? properties : new Map();
};

/** What a subschema says of a member, or of the items. */
const memberOf = (node: JsonObject, name: string): Json | undefined =>
  name === each ? node.get("items") : membersOf(node).get(name);

/** The subschemas of what is one step below. */
const membersAt = (node: JsonObject, name: string): JsonObject[] =>
  name === each
    ? [node.get("items"), node.get("contains"), ...objectsIn(node.get("prefixItems"))].filter(isJsonObjectOrNot)
    : [membersOf(node).get(name)].filter(isJsonObjectOrNot);

const isJsonObjectOrNot = (value: Json | undefined): value is JsonObject => isJsonObject(value);

function setMember(node: JsonObject, name: string, schema: Json): void {
  if (name === each) node.set("items", schema);
  else {
    node.set("properties", new Map(membersOf(node)).set(name, schema));
    const order = namesIn(node, "x-octavo-order");
    if (order.length > 0 && !order.includes(name)) node.set("x-octavo-order", [...order, name]);
  }
}

const namesIn = (node: JsonObject, keyword: string): string[] => {
  const names = node.get(keyword);
  return Array.isArray(names) && names.every((name) => typeof name === "string") ? (names as string[]) : [];
};

/** By name what goes with it: names of other members, or a subschema. */
const dependentOf = (node: JsonObject, keyword: string): JsonObject | undefined => {
  const found = node.get(keyword);
  return isJsonObject(found) ? found : undefined;
};
const dependents = ["dependentRequired", "dependentSchemas"] as const;

const isNamedIn = (node: JsonObject, name: string): boolean =>
  memberOf(node, name) !== undefined ||
  nameLists.some((keyword) => namesIn(node, keyword).includes(name)) ||
  dependents.some((keyword) => dependentOf(node, keyword)?.has(name)) ||
  [...(dependentOf(node, "dependentRequired")?.values() ?? [])].some(
    (names) => Array.isArray(names) && names.includes(name),
  );

/** Changes the lists of names; a list that becomes empty goes. */
function changeNames(node: JsonObject, change: (names: string[]) => string[]): void {
  for (const keyword of nameLists) {
    const names = namesIn(node, keyword);
    const changed = change(names);
    if (changed.length > 0) node.set(keyword, changed);
    else if (names.length > 0) node.delete(keyword);
  }
  const required = dependentOf(node, "dependentRequired");
  if (!required) return;
  const lists = [...required].map(([name, names]): [string, Json] => [
    name,
    Array.isArray(names) ? change(names as string[]) : names,
  ]);
  setOrDelete(
    node,
    "dependentRequired",
    new Map(lists.filter(([, names]) => !Array.isArray(names) || names.length > 0)),
  );
}

function setOrDelete(node: JsonObject, keyword: string, value: JsonObject): void {
  if (value.size > 0) node.set(keyword, value);
  else node.delete(keyword);
}

/** What the schema says of the new name stays, where it speaks of both. */
function renameIn(node: JsonObject, from: string, to: string): void {
  for (const keyword of ["properties", ...dependents]) {
    const members = dependentOf(node, keyword);
    if (!members?.has(from)) continue;
    if (members.has(to)) members.delete(from);
    else node.set(keyword, renamedMember(members, from, to));
  }
  changeNames(node, (names) => [...new Set(names.map((name) => (name === from ? to : name)))]);
}

function dropIn(node: JsonObject, name: string): void {
  dependentOf(node, "properties")?.delete(name);
  for (const keyword of dependents) {
    const members = dependentOf(node, keyword);
    if (members?.delete(name)) setOrDelete(node, keyword, members);
  }
  changeNames(node, (names) => names.filter((each) => each !== name));
}

// ---------------------------------------------------------------------------------------------- convert

const typeOfTarget: Readonly<Record<Target, string>> = {
  number: "number",
  integer: "integer",
  string: "string",
  boolean: "boolean",
  list: "array",
};
const ofTexts = ["minLength", "maxLength", "pattern", "format", "contentMediaType", "contentEncoding", "contentSchema"];
const ofNumbers = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const ofLists =
  "items prefixItems contains minContains maxContains minItems maxItems uniqueItems unevaluatedItems".split(" ");
/** Keywords that say nothing of such values. */
const foreign: Readonly<Record<Target, readonly string[]>> = {
  number: [...ofTexts, ...ofLists],
  integer: [...ofTexts, ...ofLists],
  string: [...ofNumbers, ...ofLists],
  boolean: [...ofTexts, ...ofNumbers, ...ofLists],
  list: [],
};

const typesIn = (node: JsonObject): Json[] => {
  const type = node.get("type");
  return Array.isArray(type) ? type : type === undefined ? [] : [type];
};
const isOfLists = (node: JsonObject): boolean => typesIn(node).includes("array") || node.has("items");

/** `isUntyped`: nothing says a type, so it gets one. */
function convertIn(node: JsonObject, to: Target, isUntyped: boolean): void {
  const types = typesIn(node);
  if (types.length > 0 && types.every((type) => type === typeOfTarget[to] || type === "null")) return;
  for (const keyword of foreign[to]) node.delete(keyword);
  if (types.length > 0 || isUntyped)
    node.set("type", types.includes("null") ? [typeOfTarget[to], "null"] : typeOfTarget[to]);
  const constants = node.get("enum");
  if (Array.isArray(constants))
    node.set(
      "enum",
      constants.map((value) => converted(value, to) ?? value),
    );
  for (const keyword of ["const", "default"]) {
    const value = node.get(keyword);
    const other = value === undefined ? undefined : converted(value, to);
    if (other !== undefined) node.set(keyword, other);
    else if (keyword === "default") node.delete(keyword);
  }
}

/** What is said of the field stays on the field. */
const ofField = ["title", "description", "deprecated", "readOnly", "writeOnly"];

function listOf(schema: JsonObject): JsonObject {
  const types = typesIn(schema);
  const isOfField = (keyword: string) => ofField.includes(keyword);
  const list: JsonObject = new Map([...schema].filter(([keyword]) => isOfField(keyword)));
  const items = new Map([...schema].filter(([keyword]) => !isOfField(keyword) && keyword !== "default"));
  const isNullable = types.includes("null");
  if (isNullable)
    items.set(
      "type",
      types.filter((type) => type !== "null"),
    );
  list.set("type", isNullable ? ["array", "null"] : "array").set("items", items);
  const value = schema.get("default");
  return value === undefined ? list : list.set("default", value === null ? null : [value]);
}
