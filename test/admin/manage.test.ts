// Slow: it runs a browser.
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before } from "node:test";
import { eventually } from "../eventually.ts";
import { temporaryFolder } from "../harness.ts";
import { startReceiver } from "../hook-receiver.ts";
import { toolsOf } from "../mcp.ts";
import { audit, auditAll, copiedBy, flow, hasFocus, overflow, read, settle, skip, useDesk, write } from "./browser.ts";

const desk = useDesk({ "webhook-private": "on" });
const { world } = desk;
const folder = temporaryFolder();
/** A world on a store that a test damages, without agents. */
const damaged = useDesk({ data: folder, mcp: "off" });

before(async () => {
  if (skip) return;
  await world.ready;
  await write(world, "PUT", "/api/registry", { id: "site.title", value: "Old" });
});

flow(
  "registry items are created without overwriting, changed and deleted; built-in ones are read-only",
  async (context) => {
    const title = async () => (await read<{ value: unknown }>(world, "/api/registry", { id: "site.title" })).value;
    const page = await desk.open(context, "/registry");
    await page.getByRole("button", { name: "New item" }).click();
    await page.getByLabel("Key").fill("site.menu");
    await page.getByText("JSON", { exact: true }).click();
    await page.getByRole("textbox", { name: "Value" }).fill('["a", {"n": 1.50}]');
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText('["a",{"n":1.50}]').filter({ visible: true }).waitFor();
    await page.getByRole("button", { name: "New item" }).click();
    await page.getByLabel("Key").fill("site.title");
    await page.getByRole("textbox", { name: "Value" }).fill("Overwritten");
    await page.getByRole("button", { name: "Create" }).click();
    const taken = page.getByRole("alert").filter({ hasText: "An item with this key already exists" });
    await taken.waitFor();
    await eventually(title, "Old");
    await taken.getByRole("button", { name: "Edit site.title" }).click();
    await page.getByRole("dialog", { name: "site.title" }).waitFor();
    await eventually(() => page.getByRole("textbox", { name: "Value" }).inputValue(), "Old");
    await page.getByRole("textbox", { name: "Value" }).fill("New");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText('"New"').filter({ visible: true }).waitFor();
    await eventually(title, "New");
    await page.getByRole("button", { name: "Delete site.menu" }).click();
    await page.getByText("Deleted site.menu").waitFor();
    await page.getByRole("cell", { name: "site.menu" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Deleted site.menu").waitFor({ state: "detached" });
    await page.getByText('["a",{"n":1.50}]').filter({ visible: true }).waitFor();
    await page.getByRole("button", { name: "Delete site.menu" }).click();
    await page.getByText("Deleted site.menu").waitFor();
    await page.getByRole("cell", { name: "site.menu" }).waitFor({ state: "detached" });
    await eventually(() => page.getByRole("button", { name: "Edit octavo.manifest.name" }).count(), 0);
  },
);

flow("a token is created and its secret shown once; it is disabled, edited, rotated and revoked", async (context) => {
  const page = await desk.open(context, "/tokens");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "New token" }).click();
  await page.getByLabel("registry").check();
  await page.getByLabel("Label").fill("Shop");
  await page.getByLabel("Call limit").fill("2");
  await page.getByRole("button", { name: "Create" }).click();
  const shown = page.getByRole("dialog", { name: "The delivery token" });
  const secret = (await shown.locator("code").textContent()) ?? "";
  assert.match(secret, /^oct_d_/);
  await shown.getByRole("button", { name: "Copy the secret" }).click();
  await eventually(() => page.evaluate(() => navigator.clipboard.readText()), secret);
  await page.keyboard.press("Escape");
  await shown.getByRole("button", { name: "I have it" }).click();
  await page.waitForFunction(() => document.activeElement?.textContent === "New token");
  await eventually(async () => !(await page.content()).includes(secret), true);
  const call = async (token: string) =>
    (await world.send("GET", "/api/registry", { query: { id: "site.title", token } })).status;
  await eventually(() => call(secret), 200);

  const row = page.getByRole("row").filter({ hasText: "Shop" });
  const act = async (name: string) => {
    await page.getByRole("button", { name: "Actions for Shop" }).click();
    await page.getByRole("menuitem", { name, exact: true }).click();
  };
  const copied = await copiedBy(page, () => act("Copy the id"));
  assert.equal((await world.app.stores.tokens.get(copied)).label, "Shop");
  await eventually(async () => {
    const names = await page
      .getByRole("button", { name: /^Actions for/ })
      .evaluateAll((all) => all.map((one) => one.ariaLabel));
    assert.equal(new Set(names).size, names.length, "each has its own name");
  });
  await act("Disable");
  await row.getByText("Disabled").waitFor();
  await row.getByText("1 of 2").waitFor();
  await eventually(() => call(secret), 401);
  await act("Enable");
  await row.getByText("In force").waitFor();
  await act("Rotate");
  await page.getByRole("button", { name: "Rotate", exact: true }).click();
  const second = (await shown.locator("code").textContent()) ?? "";
  await shown.getByRole("button", { name: "I have it" }).click();
  assert.notEqual(second, secret);
  await eventually(() => call(secret), 401);
  await eventually(() => call(second), 200);
  await act("Revoke");
  await page.getByRole("button", { name: "Revoke", exact: true }).click();
  await row.waitFor({ state: "detached" });
  await page.waitForFunction(() => document.activeElement?.id === "content");
  await eventually(() => call(second), 401);
});

flow("an agent is connected with what is shown once, and its proposals are found", async (context) => {
  await write(world, "POST", "/api/entries", { id: "agents", data: { title: "Agents" } });
  await write(world, "POST", "/api/entries", { id: "agents/one", data: { title: "One" } });
  const page = await desk.open(context, "/tokens");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Connect an agent" }).click();
  await page.locator("[placeholder='Agent of Ada']:focus").waitFor();
  await page.keyboard.type("Robot of Ada");
  await page.keyboard.press("Tab");
  await page.keyboard.type("agents");
  await page.keyboard.press("Enter");
  await page.getByLabel("Release", { exact: true }).selectOption("New release…");
  await page.getByLabel("Title").fill("Robots");
  await page.getByLabel("Title").press("Enter");

  const shown = page.getByRole("dialog", { name: "The agent is connected with this" });
  await shown.locator("select:focus").waitFor();
  await shown.getByLabel("Client").selectOption("Another client over HTTP");
  await page.setViewportSize({ width: 360, height: 800 });
  assert.equal(await overflow(page), 0);
  assert.deepEqual(await audit(page), []);
  const copied = (what: string) => copiedBy(page, () => shown.getByRole("button", { name: what }).click());
  const [url, header = ""] = (await copied("Copy the configuration")).split("\n");
  assert.equal(url, `${world.app.url}/mcp`);
  const release = /"release": "(.+)"/.exec(await copied("Copy the instruction"))?.[1];
  const bearer = header.replace("Authorization: Bearer ", "");
  await shown.getByLabel("Client").selectOption("A client that starts programs");
  const { env, args } = JSON.parse(await copied("Copy the configuration")).mcpServers.octavo;
  assert.deepEqual(args, ["octavo", "mcp", "--url", world.app.url]);
  assert.equal(bearer, `${env.OCTAVO_TOKEN}.${env.OCTAVO_ACCESS_TOKEN}`);
  await shown.getByRole("button", { name: "I have it" }).click();
  await shown.waitFor({ state: "detached" });
  await eventually(async () => !(await page.content()).includes(env.OCTAVO_TOKEN), true);

  const agent = toolsOf(world, bearer);
  await eventually(async () => {
    const names = (await agent.list()).map(({ name }) => name);
    assert.ok(names.includes("stage") && names.includes("upload_link") && !names.includes("publish"), String(names));
  });
  const change = { id: "agents/one", data: { title: "One, proposed" }, release };
  assert.equal((await agent.call("stage", change)).isError, false);
  const outside = await agent.call("create_draft", { id: "elsewhere", data: {} });
  assert.equal(outside.structuredContent.code, "entry_not_found");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("button", { name: "Actions for Robot of Ada, management" }).click();
  await page.getByRole("menuitem", { name: "What it proposed" }).click();
  await page.getByRole("heading", { name: "Proposed by Robot of Ada" }).waitFor();
  await page.getByRole("link", { name: "Robots" }).click();
  await page.waitForURL(`**/releases/${release}`);
});

flow("what a token proposed is listed with its differences, and nothing of others", async (context) => {
  const { id, secret } = await world.issue("management", ["entries"], { writes: "staged", label: "Scribe" });
  const agent = toolsOf(world, `${secret}.${world.token.access}`);
  for (const name of ["one", "two"])
    await write(world, "POST", "/api/entries", { id: `scribe-${name}`, data: { title: name } });
  await write(world, "PATCH", "/api/entries/staged", { id: "scribe-two", data: { title: "Of others" } });
  for (const [tool, sent] of [
    ["stage", { id: "scribe-one", data: { title: "One, proposed" } }],
    ["create_draft", { id: "scribe-three", data: { title: "Three" } }],
  ] as const)
    assert.equal((await agent.call(tool, sent)).isError, false);
  const page = await desk.open(context, `/tokens/${id}`);
  await page.getByRole("heading", { name: "Proposed by Scribe" }).waitFor();
  await page.getByRole("row").filter({ hasText: "Three" }).getByText("Draft").waitFor();
  await eventually(() => page.getByRole("row").count(), 3);
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 800 });
  assert.equal(await overflow(page), 0);
  await page.getByRole("button", { name: "What differs in One, proposed" }).click();
  const changes = page.getByRole("dialog", { name: "What publishing changes" });
  await changes.getByText("proposed").first().waitFor();
  await hasFocus(changes);
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "One, proposed" }).click();
  await page.waitForURL("**/entries/scribe-one");
});

flow("where no agents are answered the page says so", async (context) => {
  const page = await damaged.open(context, "/tokens");
  await page.getByRole("button", { name: "Connect an agent" }).click();
  await page.getByRole("alert").filter({ hasText: "The setting mcp of this service is off" }).waitFor();
});

flow("a webhook is made, tested and sent again, its secret is shown once, and it is switched off", async (context) => {
  const receiver = await startReceiver();
  const page = await desk.open(context, "/webhooks");
  await page.getByText("No webhooks yet").waitFor();
  await page.getByRole("button", { name: "New webhook" }).click();
  await page.getByLabel("Address").fill("https://169.254.169.254/");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("alert").filter({ hasText: "outside of private networks" }).waitFor();
  await page.getByLabel("Address").fill(receiver.url);
  await page.getByLabel("Label").fill("Site");
  await page.getByRole("combobox", { name: "Events" }).fill("entry.create");
  await page.keyboard.press("Enter");
  await page.getByLabel("Label").focus();
  await page.getByRole("listbox", { name: "Events" }).waitFor({ state: "hidden" });
  assert.deepEqual(await audit(page), []);
  await page.getByRole("button", { name: "Create" }).click();
  const shown = page.getByRole("dialog", { name: "The secret of the webhook" });
  const secret = (await shown.locator("code").textContent()) ?? "";
  assert.match(secret, /^whsec_/);
  await shown.getByRole("button", { name: "I have it" }).click();
  await eventually(async () => !(await page.content()).includes(secret), true);
  const row = page.getByRole("row").filter({ hasText: "Site" });
  await row.getByText("On", { exact: true }).waitFor();
  const act = async (name: string) => {
    await page.getByRole("button", { name: "Actions for Site" }).click();
    await page.getByRole("menuitem", { name, exact: true }).click();
  };
  await act("Test");
  const deliveries = page.getByRole("dialog", { name: "Deliveries to Site" });
  await deliveries.getByRole("row").filter({ hasText: "Test" }).getByText("204").waitFor();
  await write(world, "POST", "/api/entries", { id: "hooked", data: {} });
  await receiver.has(2);
  receiver.answer = (reply) => reply.writeHead(503).end();
  await deliveries.getByRole("button", { name: "Send again" }).click();
  await deliveries.getByText("503").waitFor();
  await receiver.has(3);
  assert.deepEqual(await audit(page), []);
  await page.keyboard.press("Escape");
  const size = page.viewportSize();
  for (const width of [360, 768]) {
    await page.setViewportSize({ width, height: 800 });
    await settle(page);
    await eventually(async () => {
      const spare = await page.locator(".table-panel").evaluate((panel) => panel.clientWidth - panel.scrollWidth);
      assert.ok(spare >= 0, `the webhooks lack ${-spare} px at ${width} px`);
    });
  }
  if (size) await page.setViewportSize(size);
  await act("Switch off");
  await row.getByText("Off", { exact: true }).waitFor();
  await act("Switch on");
  await row.getByText("On", { exact: true }).waitFor();
  // One that is gone fails at once, and the page Health says so.
  receiver.answer = (reply) => reply.writeHead(410).end();
  await write(world, "POST", "/api/entries", { id: "hooked-too", data: {} });
  await row.getByText("Failed").waitFor();
  await page.goto(`${world.app.url}/admin/health`);
  const warning = page.getByRole("alert").filter({ hasText: "1 webhook failed" });
  await warning.getByRole("link", { name: "Webhooks" }).click();
  await act("Delete");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("No webhooks yet").waitFor();
});

flow("the event log shows writes and their actors, newest first", async (context) => {
  const { secret } = await world.issue("management", ["entries"], { label: "Robot" });
  const body = { id: "event/seen", data: {}, token: secret, access_token: world.token.access };
  await world.send("POST", "/api/entries", { body });
  const page = await desk.open(context, "/events");
  const first = page.getByRole("row").nth(1);
  await first.getByText("entry create").waitFor();
  await first.getByText("Robot").filter({ visible: true }).waitFor();
  await first.getByRole("link", { name: "event/seen" }).click();
  await page.waitForURL("**/entries/event/seen");
});

flow(
  "new events are told as they happen and shown when asked for; the page says when it is not live",
  async (context) => {
    await write(world, "POST", "/api/entries", { id: "live/before", data: {} });
    const page = await desk.open(context, "/events");
    await page.getByText("Live", { exact: true }).waitFor();
    const first = page.getByRole("row").nth(1);
    await first.getByText("live/before").waitFor();
    await write(world, "POST", "/api/entries", { id: "live/one", data: {} });
    await write(world, "POST", "/api/entries", { id: "live/two", data: {} });
    await page.getByText("Live, 2 new events").waitFor();
    assert.deepEqual(await auditAll(page), []);
    await page.setViewportSize({ width: 1280, height: 800 });
    // Nothing moves under a reader.
    await first.getByText("live/before").waitFor();
    const show = page.getByRole("button", { name: "Show 2 new events" });
    await show.focus();
    await page.keyboard.press("Enter");
    await first.getByText("live/two").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await eventually(
      () => page.getByRole("button", { name: "Refresh" }).evaluate((one) => one === document.activeElement),
      assert.ok,
    );

    // Only what the filter lets through; and what was missed while it was not live.
    await page.getByLabel("Subject").fill("live/");
    await page.getByText(/^3 events of the newest \d+\. Live$/).waitFor();
    const stream = /\/api\/events\?since=/;
    await page.route(stream, (route) => route.fulfill({ status: 503 }));
    await page.reload();
    await page.getByText(/Not live: connecting…$/).waitFor();
    await write(world, "POST", "/api/entries", { id: "elsewhere", data: {} });
    await write(world, "POST", "/api/entries", { id: "live/three", data: {} });
    await page.unroute(stream);
    await page.getByText(/\. Live, 1 new event$/).waitFor();
  },
);

flow("events are filtered by kind, actor and subject, and the URL keeps the filter", async (context) => {
  const { secret } = await world.issue("management", ["entries"], { label: "Importer" });
  const by = { token: secret, access_token: world.token.access };
  await world.send("POST", "/api/entries", { body: { id: "logged/one", data: {}, ...by } });
  await world.send("PUT", "/api/entries", { body: { id: "logged/one", new_id: "logged/Two", ...by } });
  await write(world, "POST", "/api/entries", { id: "logged/three", data: {} });
  const page = await desk.open(context, "/events?subject=logged/");
  await page.getByText(/^3 events of the newest/).waitFor();
  const choose = async (name: string, option: string) => {
    await page.getByRole("combobox", { name }).click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  await choose("Kind", "entry move");
  await page.getByText(/^1 event of the newest/).waitFor();
  await choose("Kind", "entry: all");
  await page.getByText(/^3 events of the newest/).waitFor();
  await choose("By", "Importer");
  await page.getByText(/^2 events of the newest/).waitFor();
  await page.getByLabel("Subject").fill("two");
  await page.getByText(/^1 event of the newest/).waitFor();
  await page.waitForURL(/kind=entry\.&actor=[^&]+&subject=two$/);
  await page.reload();
  await page.getByText(/^1 event of the newest/).waitFor();
  await eventually(() => page.getByRole("row").count(), 2);
  await page.getByLabel("Subject").fill("nowhere");
  await page.getByText("No event matches").waitFor();
});

flow("health and storage are shown in figures", async (context) => {
  const page = await desk.open(context, "/health");
  // No request stays open.
  await page.waitForLoadState("networkidle");
  await page.getByText("Yes").nth(1).waitFor();
  const { entries } = await read<{ entries: number }>(world, "/api/stats", {});
  await page.locator(".figure", { hasText: "Entries" }).getByText(String(entries), { exact: true }).waitFor();
  await page.getByRole("region", { name: "Storage" }).getByText("Database").waitFor();
});

flow("foreign files in uploads/ are reported with their number and new place", async (context) => {
  const { folder } = world.app.stores.unknownUploads;
  mkdirSync(join(folder, "2026-01-02/a"), { recursive: true });
  for (const name of ["one.txt", "two.txt"]) writeFileSync(join(folder, "2026-01-02/a", name), name);
  const page = await desk.open(context, "/health");
  const warning = page.getByRole("alert").filter({ hasText: "2 files that Octavo did not create" });
  await warning.getByText("uploads.unknown/").waitFor();
  await warning.getByText("octavo uploads adopt").waitFor();
  rmSync(folder, { recursive: true });
  await warning.waitFor({ state: "detached" });
});

flow("a damaged database is reported with its faults until a check finds none", async (context) => {
  const page = await damaged.open(context, "/health");
  // As `octavo verify` records it for the running service.
  writeFileSync(join(folder, "octavo.db-damaged"), "Found\nThe database file: a page of it\n");
  const alert = page.getByRole("alert").filter({ hasText: "The database is damaged" });
  await alert.getByText("The database file: a page of it").waitFor();
  await page.getByText("The database of the service is damaged: all writes").waitFor();
  assert.deepEqual(await audit(page), []);
  await page.getByRole("button", { name: "Check it now" }).click();
  await alert.waitFor({ state: "detached" });
  await page.getByText("The SQLite file was last checked just now.").waitFor();
});

flow("Ctrl K finds pages, and entries by their text", async (context) => {
  await write(world, "POST", "/api/entries", { id: "found/here", data: { title: "Needle", content: "haystack" } });
  const page = await desk.open(context, "/health");
  await page.getByRole("heading", { name: "Health" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByLabel("What to find").fill("haystack");
  await page.getByText("found/here").click();
  await page.waitForURL("**/entries/found/here");
});
