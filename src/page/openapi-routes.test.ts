import assert from "node:assert/strict";
import { request } from "node:http";
import { describe, test } from "node:test";
import { type ApiRoute, describeRoute } from "../../api-docs/api.ts";
import { type Example, samplePersonId, sampleTokenId, sampleWebhookId, sentArguments } from "../../api-docs/example.ts";
import { call, type Site } from "../../scripts/examples.ts";
import { useWorld } from "../../test/harness.ts";
import { onUsedSite } from "../../test/http/used-site.ts";

/** /api/openapi.json describes requests and replies in a form that client generators can use. */

const world = useWorld();

type Encoding = { style?: string; explode?: boolean; contentType?: string };
type Content = Record<string, { schema?: Schema; encoding?: Record<string, Encoding> }>;
type Schema = {
  $ref?: string;
  type?: string;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  minLength?: number;
  examples?: unknown[];
};
type Parameter = { name: string; in: string; required?: boolean; style?: string; schema?: Schema };
type Operation = {
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { $ref?: string; content?: Content }>;
};
type Description = {
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation & { "x-codeSamples": { source: string }[] }>>;
  components: { schemas: Record<string, Schema>; responses: object; examples: object };
};

let known: Promise<Description> | undefined;
/** The description, which is asked for once: to parse it takes as long as ten requests. */
const read = (): Promise<Description> => {
  known ??= world.send("GET", "/api/openapi.json").then(({ json }) => json as unknown as Description);
  return known;
};
const operationsOf = ({ paths }: Description) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, ...operation })),
  );

test("it has at most 890 KB", async () => {
  const { text } = await world.send("GET", "/api/openapi.json");
  assert.ok(Buffer.byteLength(text) <= 890_000, `${Buffer.byteLength(text)} bytes`);
});

test("request and reply schemas are named and defined once", async () => {
  const description = await read();
  const { schemas } = description.components;
  const named = [
    ...["Entry", "File", "Folder", "MediaFolder", "Token", "TokenWithSecret", "RegistryItem", "Event", "Stats"],
    ...["Problem", "Filter", "Condition", "SortKey", "Options", "EntryChild"],
  ];
  for (const name of named) assert.ok(schemas[name], name);
  const text = JSON.stringify(description);
  // Two operations may have the same body.
  for (const [name, schema] of Object.entries(schemas).filter(([name]) => !name.endsWith("Body"))) {
    assert.equal(text.split(JSON.stringify(schema)).length - 1, 1, name);
  }
  assert.ok(!text.includes('"$id"'));
});

test("refusals are shared by all operations, one response per status", async () => {
  for (const { name, responses } of operationsOf(await read())) {
    for (const [status, { $ref, content }] of Object.entries(responses)) {
      if (Number(status) >= 400)
        assert.ok($ref?.startsWith("#/components/responses/") && !content, `${name} ${status}`);
    }
  }
});

test("the root can be read: an empty id is allowed and documented", async () => {
  const reads = operationsOf(await read()).filter(({ name }) =>
    /^GET .*(?<!releases\/)(entries|files|folders|children)$/.test(name),
  );
  assert.equal(reads.length, 8);
  for (const { name, parameters = [] } of reads) {
    const place = parameters.find((parameter) => parameter.name === "id" || parameter.name === "path");
    assert.equal(place?.required, true, name);
    assert.equal(place?.schema?.minLength, undefined, name);
    assert.ok(place?.schema?.examples?.includes(""), name);
  }
  const all = operationsOf(await read()).map(({ parameters = [] }) => parameters.map(({ schema }) => schema));
  assert.ok(!JSON.stringify(all).includes("minLength"));
});

test("every read with a tag documents 304", async () => {
  const description = await read();
  const tagged = await onUsedSite(async (site) => {
    const found: string[] = [];
    for (const route of site.app.api.map(describeRoute).filter(({ method }) => method === "GET")) {
      const { headers } = await call(site, route, route.examples[0]);
      if (headers.etag === undefined) continue;
      const again = await call(site, route, {
        ...route.examples[0],
        given: [],
        headers: { "If-None-Match": String(headers.etag) },
      });
      // This call changes call counts and statistics.
      if (!/^\/api\/(tokens|stats)$/.test(route.url)) assert.equal(again.status, 304, route.url);
      found.push(route.url.replace("*", "{path}"));
    }
    return found;
  });
  const documented = operationsOf(description).filter(({ responses }) => responses[304]);
  assert.deepEqual(documented.map(({ name }) => name).sort(), tagged.map((url) => `GET ${url}`).sort());
});

test("filter and options are one JSON text each, or bracket groups", async () => {
  for (const { name, parameters = [] } of operationsOf(await read())) {
    for (const { name: argument, schema, style } of parameters) {
      if (argument !== "filter" && argument !== "options") continue;
      // Of a search it has conditions alone.
      if (name.endsWith("/search")) continue;
      assert.equal(style, "deepObject", name);
      // The text first: generators that follow one form alone send it whole.
      const [text, group] = schema?.anyOf ?? [];
      assert.match(
        group?.$ref ?? "",
        argument === "filter" ? /schemas\/Filter$/ : /schemas\/(Entry|File|)Options$/,
        name,
      );
      assert.equal(text?.type, "string", name);
    }
  }
});

// ------------------------------------------------------------------------------------------------ bodies

/** The arguments as a form of this type, by its `encoding`, otherwise by OpenAPI's defaults. */
function formOf(
  args: Record<string, unknown>,
  type: string,
  encoding: Record<string, Encoding>,
): URLSearchParams | FormData {
  const form = type.startsWith("multipart") ? new FormData() : new URLSearchParams();
  const add = (name: string, value: unknown): void => {
    if (typeof value !== "object" || value === null) form.append(name, String(value));
    else for (const [key, member] of Object.entries(value)) add(`${name}[${key}]`, member);
  };
  for (const [name, value] of Object.entries(args)) {
    const { style, contentType } = encoding[name] ?? {};
    if (style === "deepObject") add(name, value);
    else if (contentType === undefined) form.append(name, String(value));
    else if (form instanceof URLSearchParams) form.append(name, JSON.stringify(value));
    else form.append(name, new Blob([JSON.stringify(value)], { type: contentType }));
  }
  return form;
}

async function prepare({ app, tokens, deliveryId }: Site, example: Example) {
  for (const given of example.given ?? []) {
    const need = { kinds: ["management" as const], resources: [], writes: "all" as const };
    assert.ok((await call({ app, tokens, deliveryId, root: "" }, { ...given, need }, given)).status < 300);
  }
}

async function sendForm({ app, tokens }: Site, route: ApiRoute, body: FormData | URLSearchParams) {
  const headers = { Authorization: `Bearer ${tokens.management}`, "X-Access-Token": tokens.access };
  return fetch(app.url + route.url, { method: route.method, headers, body });
}

describe("a form encoded as described is accepted like JSON", async () => {
  const routes = await onUsedSite(async ({ app }) => app.api.map(describeRoute));
  const isStructured = (route: ApiRoute): boolean =>
    Object.values(route.arguments).some((schema) => {
      const { type } = schema as { type?: string };
      return type === undefined || type === "object" || type === "array";
    });
  // A person's own calls are for the page, which sends JSON.
  const isMeant = ({ method, body, need }: ApiRoute) => method !== "GET" && body !== "form" && !need?.isOwn;
  const writes = routes.filter((route) => isMeant(route) && isStructured(route));
  test("there are such routes", () => assert.ok(writes.length >= 9, String(writes.length)));
  for (const type of ["application/x-www-form-urlencoded", "multipart/form-data"]) {
    for (const route of writes) {
      test(`${route.method} ${route.url} as ${type}`, async () => {
        const operation = (await read()).paths[route.url]?.[route.method.toLowerCase()];
        const encoding = operation?.requestBody?.content[type]?.encoding ?? {};
        const example = route.examples[0];
        await onUsedSite(async (site) => {
          await prepare(site, example);
          const [webhook] = await site.app.stores.webhooks.list();
          const text = JSON.stringify(sentArguments(example)).replaceAll(sampleTokenId, site.deliveryId);
          const [person] = await site.app.stores.people.list(1);
          const own = text.replaceAll(sampleWebhookId, webhook?.id ?? "").replaceAll(samplePersonId, person?.id ?? "");
          const args = JSON.parse(own) as Record<string, unknown>;
          // A form has texts only, which the types of the site refuse as numbers.
          const { types } = site.app.stores;
          if (!route.url.startsWith("/api/types/"))
            for (const { id } of await types.list(undefined, 100))
              await types.delete(id, { actor: "test", nowSeconds: 1 });
          const reply = await sendForm(site, route, formOf(args, type, encoding));
          assert.equal(reply.status, route.reply ? 200 : 204, await reply.text());
        });
      });
    }
  }
});

// ------------------------------------------------------------------------------------------------ addresses

type Got = { status: number; text: string; headers: Record<string, unknown> };

/** With a Host that fetch does not send. */
function getAs(host: string, path = "/api/openapi.json"): Promise<Got> {
  const { hostname, port } = new URL(world.app.url);
  return new Promise((resolve, reject) => {
    const sending = request({ hostname, port, path, headers: { Host: host }, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(pieces).toString(),
          headers: response.headers,
        }),
      );
    });
    sending.on("error", reject);
    sending.end();
  });
}

test("its server and samples have the host that the client used, and the reply is private", async () => {
  for (const host of ["content.example.org", "127.0.0.1:9", "[::1]:8080"]) {
    const { status, text, headers } = await getAs(host);
    assert.equal(status, 200, text);
    assert.equal(headers["cache-control"], "private, max-age=60");
    const description = JSON.parse(text) as Description;
    assert.equal(description.servers[0]?.url, `http://${host}`);
    for (const { name, "x-codeSamples": samples } of Object.values(description.paths).flatMap((path) =>
      Object.entries(path).map(([name, operation]) => ({ name, ...operation })),
    )) {
      for (const { source } of samples) assert.ok(source.includes(`'http://${host}/`), `${name}: ${source}`);
    }
    assert.ok(!text.includes("address.invalid"));
  }
});

test("an invalid Host is refused", async () => {
  for (const host of ["my service", "a/b", "user@host", "x:99999", '"><script>', "$HOME"]) {
    const { status, text } = await getAs(host);
    assert.equal(status, 400, host);
    assert.equal(JSON.parse(text).code, "host_invalid", host);
  }
});

test("each host has its own stable tag", async () => {
  const tagOf = async (host: string) => (await getAs(host)).headers.etag;
  const first = await tagOf("one.example.org");
  assert.notEqual(await tagOf("two.example.org"), first);
  // More hosts than the cache holds.
  for (let i = 0; i < 20; i++) await getAs(`host-${i}.example.org`);
  assert.equal(await tagOf("one.example.org"), first);
});
