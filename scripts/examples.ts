import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApiRoute, describeRoute, routeName } from "../api-docs/api.ts";
import {
  type Example,
  exampleAddress,
  exampleKind,
  type Given,
  instead,
  needOf,
  type Provocation,
  sampleGroup,
  samplePasskey,
  samplePasskeyId,
  samplePersonId,
  samplePreviewId,
  sampleReleaseId,
  sampleSessionId,
  sampleTokenId,
  sampleTrashId,
  sampleViewId,
  sampleWebhookId,
  sentArguments,
} from "../api-docs/example.ts";
import { type Recorded, type RecordedReply, type Recording, recordingFile } from "../api-docs/recorded.ts";
import { problemsOf, provocation } from "../api-docs/refusal.ts";
import { type App, build } from "../src/app.ts";
import { createToken, type TokenInput, type TokenKind, type TokenResource } from "../src/core/access/token.ts";
import { isWrite } from "../src/core/http/auth.ts";
import type { Said } from "../src/core/http/problem.ts";
import type { Code } from "../src/core/problem.ts";
import { type DemoTokens, demoLocales, fillDemo } from "../src/demo.ts";
import { wayOf } from "../src/search/way.ts";
import { readSettings } from "../src/settings.ts";
import { localesOf } from "../src/translation/locale.ts";
import { trashNouns } from "../src/trash/trash.ts";
import { newPasskey, register } from "../test/authenticator.ts";
import { mask } from "./example-mask.ts";

/**
 * Sends every example of every route to the sample site and records the replies in docs/examples.json, which the API
 * reference shows. Part of `npm run docs`; test/http/example.test.ts fails if the file is outdated.
 */

/** A service with the sample site for one example, isolated from the writes of others. */
export type Site = { app: App; tokens: DemoTokens; deliveryId: string; root: string };

const nowSeconds = () => Math.floor(Date.now() / 1000);

type Filled = { folder: string; tokens: DemoTokens; deliveryId: string };
let filled: Promise<Filled> | undefined;

/** Of examples that bind people: nobody signs in there. */
const issuer = {
  OCTAVO_OIDC_ISSUER: "https://id.example.org",
  OCTAVO_OIDC_CLIENT_ID: "octavo",
  OCTAVO_OIDC_CLIENT_SECRET: "unused",
};
const settingsFor = (data: string) =>
  readSettings({ flags: { port: "0", log: "off", data, locales: demoLocales.join() }, env: issuer, file: undefined });
const open = (data: string): Promise<App> => build(settingsFor(data));

/** A folder with the sample site, filled once and copied by all examples; removed when this process ends. */
async function fill(): Promise<Filled> {
  const folder = mkdtempSync(join(tmpdir(), "octavo-docs-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const app = await open(folder);
  try {
    const shown: DemoTokens[] = [];
    await fillDemo(app.stores, nowSeconds(), (made) => shown.push(made), demoLocales);
    // Once, and not by each example.
    const { searchLanguage, ...settings } = settingsFor(folder);
    await app.stores.searches.index(wayOf(localesOf(settings), searchLanguage));
    const delivery = (await app.stores.tokens.list()).find(({ kind }) => kind === "delivery");
    return { folder, tokens: shown[0] as DemoTokens, deliveryId: delivery?.id ?? "" };
  } finally {
    await app.close();
  }
}

/** A new service on a copy of the sample site, which `close` removes. */
export async function openSite(): Promise<Site & { close(): Promise<void> }> {
  filled ??= fill();
  const { folder, tokens, deliveryId } = await filled;
  const data = mkdtempSync(join(tmpdir(), "octavo-docs-"));
  // cpSync leaves out the modes of folders, and the service warns of a folder that others can read.
  await cp(folder, data, { recursive: true });
  const app = await open(data);
  const close = async () => {
    await app.close();
    rmSync(data, { recursive: true });
  };
  return { app, tokens, deliveryId, root: join(data, "uploads"), close };
}

/** Runs with a new service on a copy of the sample site, which is removed afterwards. */
export async function withSite<T>(use: (site: Site) => Promise<T>): Promise<T> {
  const site = await openSite();
  try {
    return await use(site);
  } finally {
    await site.close();
  }
}

/** The recorded replies of a route to its examples and to the calls that provoke its problems. */
export async function recordRoute(route: ApiRoute): Promise<Recorded> {
  const reply = (example: Example) => (site: Site) => replyTo(site, route, example);
  const refusals = (site: Site) => refusalsOf(site, route);
  if (route.examples.every((example) => changesNothing(route, example))) {
    return withSite(async (site) => ({
      replies: await inTurn(route.examples.map((example) => () => reply(example)(site))),
      refusals: await refusals(site),
    }));
  }
  return {
    replies: await inTurn(route.examples.map((example) => () => withSite(reply(example)))),
    refusals: await withSite(refusals),
  };
}

/** True for a read without preparing calls: it leaves the site as it was. */
const changesNothing = ({ method }: Pick<ApiRoute, "method">, { given = [] }: Example): boolean =>
  method === "GET" && given.length === 0;

/** The results of the tasks, which run in sequence. */
async function inTurn<T>(tasks: readonly (() => Promise<T>)[]): Promise<T[]> {
  const answers: T[] = [];
  for (const task of tasks) answers.push(await task());
  return answers;
}

async function refusalsOf(site: Site, route: ApiRoute): Promise<Recorded["refusals"]> {
  const refusals: Recorded["refusals"] = {};
  for (const code of problemsOf(route)) {
    const how = provocation(route, code);
    if (how) refusals[code] = await refusalOf(site, route, code, how);
  }
  return refusals;
}

/** The text of docs/examples.json. */
async function recordAll(): Promise<string> {
  const routes = await withSite(async ({ app }) => app.api.map(describeRoute));
  const recorded = await inTurn(
    routes.map((route) => async () => [routeName(route), await recordRoute(route)] as const),
  );
  const biome = new URL("../node_modules/.bin/biome", import.meta.url).pathname;
  const input = JSON.stringify(Object.fromEntries(recorded) satisfies Recording);
  return execFileSync(biome, ["format", "--stdin-file-path=docs/examples.json"], { input, encoding: "utf8" });
}

/** Only the headers that matter for the example. */
const toldHeaders = ["Link", "X-Total-Count", "Octavo-Staged"];

async function replyTo(site: Site, route: ApiRoute, example: Example): Promise<RecordedReply> {
  const { status, headers, text } = await call(site, route, example);
  if (status >= 300) throw new Error(`${routeName(route)}, ${example.summary}: ${status} ${text.slice(0, 300)}`);
  const told = toldHeaders.flatMap((name) =>
    headers[name.toLowerCase()] ? [[name, headers[name.toLowerCase()]]] : [],
  );
  const type = headers["content-type"]?.toString();
  const isShown = type?.startsWith("application/json") && example.summary !== "The description";
  return {
    status,
    ...(type ? { type } : {}),
    ...(told.length > 0 ? { headers: Object.fromEntries(told) } : {}),
    ...(isShown ? { body: JSON.parse(mask(text, site)) } : {}),
  };
}

async function refusalOf(site: Site, route: ApiRoute, code: Code, how: Provocation) {
  const { text } = await call(site, route, instead(route.examples[0], how));
  const body = JSON.parse(mask(text, site)) as {
    code?: Code;
    detail: string;
    errors?: Said["errors"];
  };
  if (body.code !== code) throw new Error(`${routeName(route)} was to refuse with ${code}: ${text.slice(0, 300)}`);
  return { detail: body.detail, ...(body.errors ? { errors: body.errors } : {}) };
}

type Reply = { status: number; headers: Record<string, string | string[] | undefined>; text: string };

/** Sends the call after its preparing calls. */
export async function call(
  site: Site,
  route: Pick<ApiRoute, "method" | "url" | "need">,
  sent: Provocation,
): Promise<Reply> {
  for (const given of sent.given ?? []) await make(site, given);
  // First: a person's session is made for the call.
  const own = await tokenHeaders(site, route, sent);
  const ids = await realIds(site);
  if (sent.arguments?.passkey === samplePasskey)
    ids.push([JSON.stringify(samplePasskey), JSON.stringify(await makePasskey(site, own))]);
  const { body, type } = bodyOf(route.method, sent, ids);
  const headers = { ...(type ? { "Content-Type": type } : {}), ...own, ...sent.headers };
  const address = withIds(exampleAddress(route.method, route.url, sent), ids);
  return send(site.app.url, route.method, address, headers, body);
}

async function make(site: Site, given: Given): Promise<void> {
  const { status, text } = await call(site, { ...given, need: needOf(given) }, given);
  // Several refusals may extend the same example; what it creates or deletes is then there or gone already.
  const repeated = given.method === "DELETE" ? 404 : 409;
  if (status >= 300 && status !== repeated) throw new Error(`${given.method} ${given.url}: ${text.slice(0, 300)}`);
}

/** The ids on the site, by the sample ids of the examples. */
async function realIds({ app, deliveryId }: Site): Promise<[sample: string, id: string][]> {
  const [session] = await app.stores.sessions.list(nowSeconds(), 1);
  const person = await app.stores.people.findByEmail("ada@example.org");
  const signedIn = await app.stores.people.findByEmail(signedInForm.email);
  const [passkey] = signedIn ? await app.stores.passkeys.listOf(signedIn.id) : [];
  const [view] = signedIn ? await app.stores.views.list(signedIn.id) : [];
  const [item] = await app.stores.trash.list({ nouns: trashNouns, paths: null, before: undefined, limit: 1 });
  const [webhook] = await app.stores.webhooks.list();
  const [release] = await app.stores.releases.list({ paths: null, before: undefined, limit: 1 });
  return [
    [sampleReleaseId, release?.id ?? sampleReleaseId],
    [sampleWebhookId, webhook?.id ?? sampleWebhookId],
    [
      samplePreviewId,
      (await app.stores.tokens.list()).findLast(({ kind }) => kind === "preview")?.id ?? samplePreviewId,
    ],
    [sampleTokenId, deliveryId],
    [sampleSessionId, session?.id ?? sampleSessionId],
    [samplePersonId, person?.id ?? samplePersonId],
    [sampleViewId, view?.id ?? sampleViewId],
    [samplePasskeyId, passkey?.id ?? samplePasskeyId],
    [`"id":${sampleTrashId}`, `"id":${item?.id ?? sampleTrashId}`],
    [`"group":${sampleGroup}`, `"group":${(await app.stores.events.bounds()).newest}`],
  ];
}

type Ids = Awaited<ReturnType<typeof realIds>>;

function bodyOf(method: string, sent: Provocation, ids: Ids): { body?: Buffer; type?: string } {
  if (method === "GET") return {};
  if (sent.body !== undefined) return { body: Buffer.from(sent.body) };
  if (sent.file) return formOf(sent, sent.file);
  const text = withIds(JSON.stringify(sentArguments(sent)), ids);
  return { body: Buffer.from(text), type: "application/json" };
}

const withIds = (text: string, ids: Ids): string => ids.reduce((all, [sample, id]) => all.replaceAll(sample, id), text);

const boundary = "example-boundary";

function formOf(sent: Provocation, file: NonNullable<Provocation["file"]>): { body: Buffer; type: string } {
  const head = (disposition: string) => `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`;
  const fields = Object.entries(sentArguments(sent)).map(([name, value]) => `${head(`name="${name}"`)}${value}\r\n`);
  const parts = [...fields, head(`name="file"; filename="${file.name}"`), file.content, `\r\n--${boundary}--\r\n`];
  const body = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
  return { body, type: `multipart/form-data; boundary=${boundary}` };
}

async function tokenHeaders(
  site: Site,
  { need }: Pick<ApiRoute, "need">,
  { token, accessToken }: Provocation,
): Promise<Record<string, string>> {
  if (!need || token === "none") return {};
  if (need.isOwn && token === undefined) return sessionHeaders(site);
  const kind = exampleKind(need);
  const secrets = {
    good: () => site.tokens[kind],
    unknown: () => "oct_d_unknown",
    another: () => site.tokens[kind === "images" ? "delivery" : "images"],
    // A management token has at least one.
    spent: () => spentToken(site, kind, kind === "management" ? [...need.resources, "entries"] : need.resources),
  };
  const bearer = await secrets[token ?? "good"]();
  if (!isWrite(need) || accessToken === "none") return { Authorization: `Bearer ${bearer}` };
  const accessSecrets = {
    good: () => site.tokens.access,
    unknown: () => "oct_a_unknown",
    limited: async () => (await makeToken(site, { kind: "access", resources: [], paths: ["elsewhere"] })).secret,
  };
  return { Authorization: `Bearer ${bearer}`, "X-Access-Token": await accessSecrets[accessToken ?? "good"]() };
}

const signedInForm = { name: "Grace", email: "grace@example.org", password: "a quiet harbour at noon" };

/** What a browser would make of the options that it gets now. */
async function makePasskey({ app }: Site, session: Record<string, string>): Promise<object> {
  const { text } = await send(app.url, "POST", "/api/people/me/passkeys/options", session, undefined);
  // A refused session gets none, and the call is refused for it, too.
  const challenge = (JSON.parse(text) as { data?: { challenge: string } }).data?.challenge ?? "";
  const origin = `http://localhost:${new URL(app.url).port}`;
  return register(newPasskey("ES256"), { challenge, origin, rpId: "localhost" });
}

/** The headers of a person who is signed in, made for the call. */
export async function sessionHeaders({ app }: Site): Promise<Record<string, string>> {
  const form = signedInForm;
  const code = new URL(app.signInLink()).hash.replace("#code=", "");
  const body = Buffer.from(JSON.stringify({ code, ...form }));
  const type = { "Content-Type": "application/json" };
  const known = await app.stores.people.findByEmail(form.email);
  const path = known ? "/admin/session" : "/admin/session/link";
  const { headers, text } = await send(app.url, "POST", path, type, body);
  const [cookie = ""] = headers["set-cookie"] ?? [];
  const { csrf_token } = (JSON.parse(text) as { data: { csrf_token: string } }).data;
  return { Cookie: cookie.split(";", 1)[0] as string, "X-CSRF-Token": csrf_token };
}

function makeToken({ app }: Site, input: Pick<TokenInput, "kind" | "resources" | "paths">, limitCalls = 0) {
  const context = { id: crypto.randomUUID(), actor: "octavo", nowSeconds: nowSeconds() };
  return createToken(app.stores.tokens, { ...input, label: "sample", environment: "", limitCalls }, context);
}

/** A token that has used its single call. */
async function spentToken(site: Site, kind: TokenKind, resources: readonly TokenResource[]): Promise<string> {
  const { token, secret } = await makeToken(site, { kind, resources }, 1);
  await site.app.stores.tokens.countCall([{ argument: "token", token }], nowSeconds());
  return secret;
}

function send(
  base: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: Buffer | undefined,
): Promise<Reply> {
  const { hostname, port } = new URL(base);
  const length = body ? { "Content-Length": String(body.length) } : {};
  return new Promise((resolve, reject) => {
    // Not fetch: it normalises paths, and does not send a custom Host.
    const sending = request(
      { hostname, port, method, path, headers: { ...headers, ...length }, agent: false },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
        response.on("error", reject);
      },
    );
    sending.on("error", reject);
    sending.end(body);
  });
}

if (import.meta.main) writeFileSync(recordingFile, await recordAll());
