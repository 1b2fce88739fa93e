// Long: it recreates the sample site for each example. Time limit: 900 s.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { readRecording } from "../../api-docs/recorded.ts";
import { mask } from "../../scripts/example-mask.ts";
import { type Site, sessionHeaders, withSite } from "../../scripts/examples.ts";
import type { DemoTokens } from "../../src/demo.ts";
import { startOctavo } from "../cli/octavo.ts";
import { temporaryFolder } from "../harness.ts";

/**
 * Every command of the reference runs as pasted, in a shell with the variables of the introduction, on a fresh sample
 * site, and gives the documented reply.
 */

const folder = temporaryFolder();
const recording = readRecording();
const run = promisify(execFile);

type Sample = { name: string; at: number; source: string };
type Operations = Record<string, Record<string, { "x-codeSamples": { source: string }[] }>>;

/** The samples as served. */
async function samplesOf(url: string): Promise<Sample[]> {
  const { paths } = (await (await fetch(`${url}/api/openapi.json`)).json()) as { paths: Operations };
  // Those of uploads that resume have an id of one that has begun; the guide's are run with it.
  const shown = Object.entries(paths).filter(([path]) => !path.startsWith("/api/uploads"));
  return shown.flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation["x-codeSamples"].map(({ source }, at) => ({
        name: `${method.toUpperCase()} ${path.replace("{path}", "*")}`,
        at,
        source,
      })),
    ),
  );
}

type Variables = Record<string, string>;

const tokenVariables = (tokens: DemoTokens): Variables =>
  Object.fromEntries(Object.entries(tokens).map(([kind, secret]) => [`${kind.toUpperCase()}_TOKEN`, secret]));

/** The tokens of the site; with a person's session for samples that use one. */
async function variablesOf(site: Site, { source }: Sample): Promise<Variables> {
  if (!usesSession(source)) return tokenVariables(site.tokens);
  const { Cookie = "", "X-CSRF-Token": csrf = "" } = await sessionHeaders(site);
  return { ...tokenVariables(site.tokens), SESSION_COOKIE: Cookie.replace(/^[^=]*=/, ""), CSRF_TOKEN: csrf };
}

const usesSession = (source: string): boolean => source.includes("$SESSION_COOKIE");

/** Runs a sample; a refusal fails it. Returns its output, one line per reply. */
async function paste(source: string, variables: Variables): Promise<string> {
  const env = { PATH: process.env.PATH, ...variables };
  const strict = `set -eu; curl() { command curl -sS --fail-with-body -w '\\n' "$@"; }`;
  const { stdout } = await run("sh", ["-c", `${strict}\n${source}`], { cwd: folder, env });
  return stdout;
}

const replyTo = ({ name, at }: Sample) => recording[name]?.replies[at];

const lastLine = (out: string): string => out.trim().split("\n").at(-1) ?? "";

/** The last reply is the documented one. Bytes are written to a file. */
function compare(sample: Sample, out: string, site: Site): void {
  const body = replyTo(sample)?.body;
  if (body === undefined) return;
  assert.deepEqual(JSON.parse(mask(lastLine(out), site)), body);
}

const shown = await withSite(async ({ app }) => ({ url: app.url, samples: await samplesOf(app.url) }));
const all = shown.samples;
/** What a device signs anew for each call cannot be pasted. */
const canBePasted = ({ source }: Sample): boolean => !source.includes("attestationObject");
const isRead = ({ name }: Sample) => name.startsWith("GET ");
/** True for a read without preparing calls, of which a session would be one. */
const leavesSite = (sample: Sample) =>
  isRead(sample) && !/curl.* -X /.test(sample.source) && !usesSession(sample.source);

test("there is a sample for each recorded reply", () => {
  const recorded = Object.values(recording).reduce((sum, { replies }) => sum + replies.length, 0);
  assert.equal(all.length, recorded);
  assert.ok(all.length > 90);
});

/** Runs this on a new `octavo serve --demo`, with the tokens that it prints. */
async function onDemo(work: (url: string, tokens: DemoTokens) => Promise<unknown>): Promise<void> {
  const service = await startOctavo(["--demo"], { cwd: temporaryFolder() });
  const printed = service.lines.join("\n");
  const secret = (kind: string) => new RegExp(`${kind} +(oct_\\S+)`).exec(printed)?.[1] ?? "";
  const [delivery, management, images, access] = ["delivery", "management", "images", "access"].map(secret);
  await work(service.url, { delivery, management, images, access } as DemoTokens);
  assert.equal(await service.stop("SIGTERM"), 0);
}

/** The preparing calls of a sample, each with the lines that it goes on in. */
const preparing = ({ source }: Sample): string[] => source.match(/^.*\bcurl .*-X (?:.*\\\n)*.*/gm) ?? [];

/** A call after which something is no longer where other samples read it. */
const takesAway = (call: string): boolean => /-X (?:DELETE|PUT) /.test(call);

/**
 * The samples by site: no site gets a preparing call twice, since a second one may be refused, and what takes something
 * away has a site of its own.
 */
function bySite(samples: Sample[]): Sample[][] {
  const alone = samples.filter((sample) => preparing(sample).some(takesAway));
  const sites: { calls: Set<string>; samples: Sample[] }[] = [];
  for (const sample of samples.filter((each) => !alone.includes(each))) {
    const calls = preparing(sample);
    const fits = sites.find((site) => calls.every((call) => !site.calls.has(call)));
    const site = fits ?? { calls: new Set(), samples: [] };
    if (!fits) sites.push(site);
    site.samples.push(sample);
    for (const call of calls) site.calls.add(call);
  }
  return [...sites.map((site) => site.samples), ...alone.map((sample) => [sample])];
}

test("every read runs on a fresh octavo serve --demo with its printed tokens", async () => {
  const reads = all.filter((sample) => isRead(sample) && !usesSession(sample.source));
  for (const samples of bySite(reads)) {
    await onDemo(async (url, tokens) => {
      for (const sample of samples) {
        const out = await paste(sample.source.replaceAll(shown.url, url), tokenVariables(tokens));
        if (replyTo(sample)?.body !== undefined) assert.doesNotThrow(() => JSON.parse(lastLine(out)), sample.source);
      }
    });
  }
});

test("every read without preparing calls answers as documented", async () => {
  await withSite(async (site) => {
    // Statistics are read first: the images would change them.
    const isBytes = (sample: Sample) => Number(replyTo(sample)?.body === undefined);
    const samples = (await samplesOf(site.app.url)).filter(leavesSite).toSorted((a, b) => isBytes(a) - isBytes(b));
    for (const sample of samples) {
      compare(sample, await paste(sample.source, await variablesOf(site, sample)), site);
    }
  });
});

describe("every write, and every read after preparing calls, answers as documented, on its own site", {
  concurrency: 2,
}, () => {
  for (const sample of all.filter((one) => !leavesSite(one) && canBePasted(one))) {
    test(`${sample.name}, ${sample.at + 1}`, () =>
      withSite(async (site) => {
        const source = sample.source.replaceAll(shown.url, site.app.url);
        compare(sample, await paste(source, await variablesOf(site, sample)), site);
      }));
  }
});
