import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { openApiText, readApi } from "../api-docs/build.ts";

/**
 * Generates client/src/api.ts, the types of the client's operations, from the OpenAPI description. Part of `npm run docs`;
 * test/client/api.test.ts fails if the file is outdated.
 */

type Schema = {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  enum?: string[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
};
type Content = Record<string, { schema?: Schema }>;
type Parameter = {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  style?: string;
  schema: Schema;
};
type Operation = {
  summary: string;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};
export type OpenApi = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** Paths without a client method: other URLs of the same operation, bytes, and what is not for programs with a token. */
export const leftOut =
  /^\/(?:api\/(?:delivery(?!\/changes\b)|management(?!\/entries\/children)|media|openapi|files\/history\/bytes|uploads|translations\/xliff)|health|metrics|project)\b/;
/** The only call with the argument `revision`. */
const readAtRevision = "GET /api/management/entries";

/** Named schemas of the description, with the names of their types. */
const named: Record<string, string> = {
  ProblemCode: "ProblemCode",
  ProblemBody: "Problem",
  EntryObject: "Entry",
  PartialEntry: "PartialEntry",
  FolderObject: "Folder",
  PartialFolder: "PartialFolder",
  FileObject: "File",
  PartialFile: "PartialFile",
  RegistryItem: "RegistryItem",
  Token: "Token",
  TokenWithSecret: "TokenWithSecret",
  Session: "Session",
  OwnSession: "OwnSession",
  Passkey: "Passkey",
  PasskeyOptions: "PasskeyOptions",
  Person: "Person",
  OwnPerson: "OwnPerson",
  PersonWithLink: "PersonWithLink",
  Role: "Role",
  View: "View",
  Webhook: "Webhook",
  WebhookWithSecret: "WebhookWithSecret",
  WebhookAttempt: "WebhookAttempt",
  LogEvent: "Event",
  Stats: "Stats",
  HistoryRow: "HistoryRow",
  RecentEntry: "RecentEntry",
  StagedRow: "StagedRow",
  Release: "Release",
  OutdatedKey: "OutdatedKey",
  Reference: "Reference",
  ContentType: "ContentType",
  TypeCheck: "TypeCheck",
  TrashItem: "TrashItem",
  Condition: "Condition",
  SortKey: "SortKey",
  Filter: "Filter",
};

/** Named schemas without a type of their own: they are written where they are used. */
const inlined =
  /Body$|^(?:Change|ContentTypes|EntryChild|EntryOptions|Included|Operation|OperationReply|Options|RegistryRow|Webhooks)$|^FileOptions$|^(?:Partial)?MediaFolder|(?:Entry|File|Folder)Result$/;

/** The operations of the description that the client supports, such as `PUT /api/entries/copy`. */
export function spoken({ paths }: OpenApi): [name: string, operation: Operation][] {
  return Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as [string, Operation],
      ),
    )
    .filter(([name]) => name === readAtRevision || !leftOut.test(name.slice(name.indexOf("/"))));
}

/** The text of client/src/api.ts. */
export function apiTypes(description: OpenApi): string {
  return format(new ApiTypes(description).text());
}

class ApiTypes {
  private readonly schemas: Record<string, Schema>;
  private readonly description: OpenApi;
  /** The names of schemas by the names of their types: those of the table, then those that a feature adds. */
  private readonly named: [type: string, name: string][];
  private readonly typeNames: Map<string, string>;

  constructor(description: OpenApi) {
    const { schemas } = description.components;
    const { Problem } = schemas as { Problem: Schema };
    // The codes are a schema inside another one, and get their own type.
    const code = { ...Problem.properties?.code, $ref: refOf("ProblemCode") };
    this.schemas = {
      ...schemas,
      ProblemCode: Problem.properties?.code as Schema,
      Problem: { ...Problem, properties: { ...Problem.properties, code } },
    };
    this.description = description;
    const known = new Set(Object.values(named));
    const added = Object.keys(schemas).filter((name) => !known.has(name) && !inlined.test(name));
    this.named = [...Object.entries(named), ...added.map((name): [string, string] => [name, name])];
    this.typeNames = new Map(this.named.map(([type, name]) => [refOf(name), type]));
  }

  text(): string {
    const types = this.named.map(([type, name]) => {
      const schema = this.schemas[name] as Schema;
      return `${docOf(schema)}export type ${type} = ${this.typeOf(schema)};`;
    });
    const operations = spoken(this.description).map(([name, operation]) => this.operationType(name, operation));
    return [
      "// Made by npm run docs out of /api/openapi.json: the types of the operations, without their tokens.",
      ...types,
      `/** By method and address: the arguments, and the \`data\` of the reply. */\nexport type Api = {${operations.join("\n")}};`,
    ].join("\n\n");
  }

  private operationType(name: string, operation: Operation): string {
    const data = operation.responses[200]?.content?.["application/json"]?.schema?.properties?.data;
    return `/** ${operation.summary} */
    ${JSON.stringify(name)}: {
      arguments: ${this.typeOf(this.argumentsOf(operation))};
      data: ${data ? this.typeOf(data) : "undefined"};
    };`;
  }

  /** Omits tokens and other headers, which are references: the client has options for them. */
  private argumentsOf({ parameters, requestBody }: Operation): Schema {
    if (!requestBody) {
      const sent = (parameters ?? []).filter((parameter) => "name" in parameter);
      return {
        properties: Object.fromEntries(sent.map((parameter) => [parameter.name, schemaOf(parameter)])),
        required: sent.filter(({ required }) => required).map(({ name }) => name),
      };
    }
    const schema = this.resolve(Object.values(requestBody.content)[0]?.schema ?? {});
    const { token: _, access_token: __, ...properties } = schema.properties ?? {};
    return { properties, required: schema.required };
  }

  private resolve(schema: Schema): Schema {
    return schema.$ref === undefined ? schema : (this.schemas[schema.$ref.slice(refOf("").length)] as Schema);
  }

  /** A schema as a type, or the name of its type. */
  private typeOf(schema: Schema): string {
    const { $ref, anyOf, items, properties, additionalProperties } = schema;
    if ($ref !== undefined) return this.typeNames.get($ref) ?? this.typeOf(this.resolve(schema));
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    if (anyOf) return [...new Set(anyOf.map((one) => this.typeOf(one)))].join(" | ");
    if (items) return `(${this.typeOf(items)})[]`;
    if (properties && Object.keys(properties).length > 0) return this.objectType(schema);
    if (typeof additionalProperties === "object") return `Record<string, ${this.typeOf(additionalProperties)}>`;
    if (properties) return "Record<never, never>";
    return schema.format === "binary" ? "Blob" : (plain[schema.type ?? ""] ?? "unknown");
  }

  private objectType({ properties, required }: Schema): string {
    const members = Object.entries(properties ?? {}).map(
      ([name, schema]) => `${docOf(schema)}${name}${required?.includes(name) ? "" : "?"}: ${this.typeOf(schema)};`,
    );
    return `{\n${members.join("\n")}\n}`;
  }
}

const refOf = (name: string): string => `#/components/schemas/${name}`;

/** A parameter's schema with its description. The client sends a group in brackets, never as one text. */
const schemaOf = ({ description, schema, style }: Parameter): Schema => ({
  ...(style === "deepObject" ? schema.anyOf?.at(-1) : schema),
  description,
});

const plain: Record<string, string> = {
  string: "string",
  integer: "number",
  boolean: "boolean",
  null: "null",
  object: "object",
};

const docOf = ({ description }: Schema): string => (description ? `/** ${description} */\n` : "");

function format(text: string): string {
  const biome = new URL("../node_modules/.bin/biome", import.meta.url).pathname;
  return execFileSync(biome, ["format", "--stdin-file-path=client/src/api.ts"], { input: text, encoding: "utf8" });
}

if (import.meta.main) {
  const description = JSON.parse(openApiText(await readApi())) as OpenApi;
  writeFileSync(new URL("../client/src/api.ts", import.meta.url), apiTypes(description));
}
