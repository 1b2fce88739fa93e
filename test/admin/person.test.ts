// Slow: it runs a browser.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { auditAll, copiedBy, flow, hasFocus, settle, signIn, useDesk } from "./browser.ts";

/** People on the admin page: the first owner, an invitation, a profile. Contract, part three, §19. */

const desk = useDesk({ locales: "en,de,fr" });
const password = "a quiet harbour at noon";

const fill = async (page: Page, fields: Record<string, string>): Promise<void> => {
  for (const [label, text] of Object.entries(fields)) await page.getByLabel(`${label} *`, { exact: true }).fill(text);
};

const tokens = () => ({ token: desk.world.token.management, access_token: desk.world.token.access });
const manage = async <T>(method: string, path: string, args: object): Promise<T> => {
  const reply = await desk.world.send(method, path, { body: { ...tokens(), ...args } });
  assert.ok(reply.status < 300, reply.text);
  return reply.json.data as T;
};

/** Opens the page as a new person with the role. */
async function joinAs(context: TestContext, role: string, name: string, options: BrowserContextOptions = {}) {
  const email = `${name.toLowerCase()}@example.org`;
  const invited = await manage<{ id: string; link: string }>("POST", "/api/people", { email, role });
  const page = await desk.openFresh(context, "", options);
  await page.goto(invited.link);
  await fill(page, { Name: name, Password: password });
  await page.getByRole("button", { name: "Continue", exact: true }).click();
  await page.getByRole("navigation", { name: "Main" }).waitFor({ state: "attached" });
  return { page, id: invited.id, email };
}

/** Clicks and counts. */
function countClicks(): { click(what: Locator): Promise<void>; readonly made: number } {
  let made = 0;
  return {
    async click(what) {
      made++;
      await what.click();
    },
    get made() {
      return made;
    },
  };
}

flow(
  "in a store without an owner, tokens with admin are offered to become it; it can be dismissed",
  async (context) => {
    const page = await desk.open(context, "");
    const offer = page.getByRole("alert", { name: "Sign in as yourself" });
    await offer.getByRole("button", { name: "Not now" }).click();
    await offer.waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("navigation", { name: "Main" }).waitFor();
    await eventually(() => offer.count(), 0);

    const limited = await desk.world.issue("management", ["entries", "files"]);
    const guest = await desk.openFresh(context, "");
    await guest.getByPlaceholder("oct_m_").fill(limited.secret);
    await guest.getByPlaceholder("oct_a_").fill(desk.world.token.access);
    await guest.getByRole("button", { name: "Sign in", exact: true }).click();
    await guest.getByRole("navigation", { name: "Main" }).waitFor();
    await eventually(() => guest.getByRole("alert", { name: "Sign in as yourself" }).count(), 0);

    // With a session of its own: it ends when the owner signs in.
    const owner = await desk.openFresh(context, "");
    await signIn(owner, desk.world);
    const become = async () => {
      await owner.getByRole("button", { name: "Become the owner" }).click();
      await fill(owner, { "Your email address": "first@example.org" });
      await owner.getByRole("dialog").getByRole("button", { name: "Continue" }).click();
      await owner.getByRole("heading", { name: "Welcome to Octavo" }).waitFor();
    };
    await become();
    // Who did not finish begins again.
    await owner.reload();
    await become();
    await fill(owner, { Name: "Fiona", Password: password });
    await owner.getByRole("button", { name: "Continue", exact: true }).click();
    await owner.getByRole("button", { name: "Fiona, account" }).waitFor();
    const again = await desk.open(context, "");
    await again.getByRole("navigation", { name: "Main" }).waitFor();
    await eventually(() => again.getByRole("alert", { name: "Sign in as yourself" }).count(), 0);
  },
);

flow(
  "the link of a first start makes the owner, who invites an editor in three clicks; the editor signs in",
  async (context) => {
    const page = await desk.openFresh(context, "");
    await page.goto(desk.world.app.signInLink({ asksOwner: true }));
    await page.getByRole("heading", { name: "Welcome to Octavo" }).waitFor();
    assert.ok(!page.url().includes("code"));
    await fill(page, { Name: "Olga", "Email address": "olga@example.org", Password: "password" });
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await page.getByRole("alert").getByText("most common").waitFor();
    await fill(page, { Password: password });
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await page.getByRole("button", { name: "Olga, account" }).waitFor();

    await page.getByRole("link", { name: "People" }).click();
    // Whoever manages finds the group open; what is folded leaves the present page.
    const management = page.getByRole("button", { name: "Management" });
    await page.getByRole("link", { name: "Health" }).waitFor();
    await management.click();
    await page.getByRole("link", { name: "Health" }).waitFor({ state: "detached" });
    await eventually(() => page.getByRole("link", { name: "People" }).getAttribute("aria-current"), "page");
    await management.click();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const clicks = countClicks();
    await clicks.click(page.getByRole("button", { name: "Invite", exact: true }));
    await fill(page, { "Email address": "eddie@example.org" });
    await clicks.click(page.getByRole("dialog").getByRole("button", { name: "Invite" }));
    const shown = page.getByRole("dialog", { name: "The link for eddie@example.org" });
    const link = await copiedBy(page, () => clicks.click(shown.getByRole("button", { name: "Copy the link" })));
    assert.equal(clicks.made, 3);
    assert.ok(link.startsWith(`${desk.world.app.url}/admin#code=invite-`), link);
    await shown.getByRole("button", { name: "I have it" }).click();
    await page.getByText("Invited", { exact: true }).waitFor();

    const eddie = await desk.openFresh(context, "");
    await eddie.goto(link);
    await eddie
      .getByText(
        /^Olga \(olga@example\.org\) invites you to edit 127\.0\.0\.1:\d+\. You sign in as eddie@example\.org\.$/,
      )
      .waitFor();
    await fill(eddie, { Name: "Eddie", Password: password });
    await eddie.getByRole("button", { name: "Continue", exact: true }).click();
    const menu = eddie.getByRole("navigation", { name: "Main" });
    const fold = menu.getByRole("button", { name: "Management" });
    const links = async () => (await menu.getByRole("link").allTextContents()).filter((text) => text !== "Octavo");
    await menu.getByRole("link", { name: "Trash" }).waitFor();
    await eventually(links, ["Home", "Entries", "Media", "Work", "Translations", "Releases", "Trash"]);
    await fold.press("Enter");
    await menu.getByRole("link", { name: "Types" }).click();
    await eventually(links, ["Home", "Entries", "Media", "Work", "Translations", "Releases", "Trash", "Types"]);
    await eddie.reload();
    await menu.getByRole("link", { name: "Types" }).waitFor();
    await eventually(() => fold.getAttribute("aria-expanded"), "true");
    await eddie.getByRole("button", { name: "Eddie, account" }).click();
    await eddie.getByRole("menuitem", { name: "Sign out" }).click();
    await eddie.getByRole("heading", { name: "Sign in to Octavo" }).waitFor();
    await eddie.reload();
    await fill(eddie, { "Email address": "Eddie@example.org", Password: "wrong password" });
    await eddie.getByRole("button", { name: "Sign in", exact: true }).click();
    await eddie.getByRole("alert").getByText("The email address or the password is wrong").waitFor();
    await fill(eddie, { Password: password });
    await eddie.getByRole("button", { name: "Sign in", exact: true }).click();
    await eddie.getByRole("button", { name: "Eddie, account" }).waitFor();
  },
);

flow("a profile changes the name and the password, and lists the sessions", async (context) => {
  const page = await desk.openFresh(context, "");
  await page.goto(desk.world.app.signInLink({ asksOwner: true }));
  await fill(page, { Name: "Paula", "Email address": "paula@example.org", Password: password });
  await page.getByRole("button", { name: "Continue", exact: true }).click();
  await page.getByRole("button", { name: "Paula, account" }).click();
  await page.getByRole("menuitem", { name: "Profile" }).click();
  const kept = page.waitForRequest((request) => (request.postData() ?? "").includes('{"autosave":false}'));
  await page.getByRole("switch", { name: "Save automatically" }).uncheck();
  await kept;
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await page.getByRole("switch", { name: "Save automatically", checked: false }).waitFor();
  const form = page.getByRole("form", { name: "Password" });
  await form.getByLabel("Present password *", { exact: true }).fill(password);
  await form.getByLabel("New password *", { exact: true }).fill("a louder harbour at noon");
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByText("The password is changed").waitFor();
  await page.getByText("This session").waitFor();
  const reply = await desk.world.send("POST", "/admin/session", {
    body: { email: "paula@example.org", password: "a louder harbour at noon" },
  });
  assert.equal(reply.status, 200);
});

flow("tokens sign in beside people", async (context) => {
  const page = await desk.openFresh(context, "");
  await page.getByLabel("Email address *", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Use tokens instead" }).click();
  await signIn(page, desk.world);
  await page.getByRole("link", { name: "People" }).click();
  await page.getByRole("button", { name: "Actions for Olga" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("dialog", { name: "Olga" }).getByText("Does everything").waitFor();
});

flow("a viewer reads and is offered no write", async (context) => {
  const { world } = desk;
  const tokens = { token: world.token.management, access_token: world.token.access };
  await world.send("POST", "/api/entries", { body: { ...tokens, id: "seen", data: { title: "Seen" } } });
  const invited = await world.send("POST", "/api/people", {
    body: { ...tokens, email: "vera@example.org", role: "viewer" },
  });
  const page = await desk.openFresh(context, "");
  await page.goto((invited.json.data as { link: string }).link);
  await fill(page, { Name: "Vera", Password: password });
  await page.getByRole("button", { name: "Continue", exact: true }).click();
  await page.getByRole("button", { name: "Vera, account" }).waitFor();
  await page.goto(`${world.app.url}/admin/entries/seen`);
  await eventually(() => page.getByRole("textbox", { name: "Title" }).isEditable(), false);
  for (const name of ["Publish", "Save draft", "New entry"])
    await eventually(() => page.getByRole("button", { name, exact: true }).count(), 0, name);

  // Who becomes one with a page open is told of the role, not of a token.
  const { page: open, id } = await joinAs(context, "editor", "Edda");
  await open.goto(`${world.app.url}/admin/files`);
  await open.getByRole("button", { name: "New folder" }).click();
  await open.getByRole("dialog").getByLabel("Path").fill("mine");
  await manage("PATCH", "/api/people", { id, role: "viewer" });
  await open.getByRole("dialog").getByRole("button", { name: "Create", exact: true }).click();
  await open.getByText("Your role does not allow this").waitFor();
});

flow("a viewer reads the whole form, by keyboard, too; nothing of it can be changed", async (context) => {
  const block = {
    type: "object",
    title: "Quote",
    properties: { kind: { const: "quote" }, words: { type: "string" } },
  };
  const properties = {
    word: { type: "string", title: "Word" },
    price: { type: "number", title: "Price" },
    size: { title: "Size", enum: ["a", "b", "c", "d", "e", "f"] },
    live: { type: "boolean", title: "Live" },
    blocks: { type: "array", title: "Blocks", items: { oneOf: [block] } },
  };
  await manage("PUT", "/api/types", { id: "shown", paths: ["shown/*"], schema: { type: "object", properties } });
  const data = {
    title: "Shown",
    word: "Sea",
    price: 2,
    size: "b",
    live: true,
    blocks: [{ kind: "quote", words: "So" }],
  };
  await manage("POST", "/api/entries", { id: "shown/one", data });
  const { page } = await joinAs(context, "viewer", "Vito");
  await page.goto(`${desk.world.app.url}/admin/entries/shown/one`);
  await page.getByText("Only to read", { exact: true }).waitFor();
  const field = (name: string) => page.getByLabel(name, { exact: true });
  await field("Title").focus();
  const reached: string[] = [];
  for (let tabs = 0; tabs < 25 && !reached.includes("words"); tabs++) {
    reached.push(
      await page.evaluate(() => (document.activeElement as HTMLInputElement).labels?.[0]?.textContent ?? ""),
    );
    const toggle = page.locator(".typed-toggle[aria-expanded=false]:focus");
    if ((await toggle.count()) > 0) await page.keyboard.press("Enter");
    await page.keyboard.type("5");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Tab");
  }
  for (const name of ["Word", "Price", "words"]) assert.ok(reached.includes(name), `${name} of ${reached}`);
  await eventually(() => field("Word").inputValue(), "Sea");
  await eventually(() => field("Price").inputValue(), "2");
  await eventually(() => field("words").inputValue(), "So");
  const isDark = (name: string) =>
    field(name).evaluate((element) => {
      const { color, opacity } = getComputedStyle(element);
      return opacity === "1" && color === getComputedStyle(document.body).color;
    });
  for (const name of ["Title", "Word", "Size"]) await eventually(() => isDark(name), true, name);
  for (const act of [page.getByRole("button", { name: "Add to Blocks" }), page.locator("[data-remove]").first()])
    await act.waitFor({ state: "hidden" });
  await page.keyboard.press("Control+s");
  assert.deepEqual(await auditAll(page), []);
});

/** The row of a role, and an action of its menu. */
function roleOf(page: Page, name: string) {
  const row = page.getByRole("row").filter({ hasText: name });
  const act = async (action: string) => {
    await page.getByRole("button", { name: `Actions for ${name}` }).click();
    await page.getByRole("menuitem", { name: action }).click();
  };
  return { row, act, says: (text: string) => row.getByText(text).locator("visible=true").first().waitFor() };
}

flow("a role is made, said in words, and changed; built-in ones only begin another", async (context) => {
  const page = await desk.open(context, "/people");
  await page.getByRole("link", { name: "role", exact: true }).click();
  await roleOf(page, "Editor").says("Reads and changes entries, files, and folders");
  await page.getByRole("button", { name: "Actions for Viewer" }).click();
  await eventually(() => page.getByRole("menuitem").allTextContents(), ["New role like this"]);
  await hasFocus(page.getByRole("menu"));
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "New role" }).click();
  await page.getByLabel("Title").fill("Café desk");
  await eventually(() => page.getByLabel("Id").inputValue(), "cafe-desk");
  await page.getByLabel("Folders").uncheck();
  await page.getByLabel("Drafts and working copies").check();
  await page.getByRole("combobox", { name: "Paths" }).fill("news");
  await page.keyboard.press("Enter");
  await eventually(() => page.getByLabel("Registry").count(), 0);
  const words =
    "Reads entries and files; writes drafts and working copies of entries, which others publish; uploads new files. Only at and below news.";
  await page.getByRole("dialog").getByText(words).waitFor();
  await page.getByRole("button", { name: "Create" }).click();
  const desks = roleOf(page, "Café desk");
  await desks.says(words);
  await desks.act("Edit");
  await eventually(() => page.getByLabel("Id").isDisabled(), true);
  await page.getByLabel("Reads only").check();
  await page.getByRole("button", { name: "Save" }).click();
  await desks.says("Reads entries and files, with drafts; changes nothing. Only at and below news.");
  await desks.act("New role like this");
  await page.getByLabel("Title").fill("Café desk");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("alert").getByText("There is a role with the id cafe-desk already").waitFor();
});

flow("a role of one language is made where the service has languages, and says so", async (context) => {
  const page = await desk.open(context, "/roles");
  await page.getByRole("button", { name: "New role" }).click();
  await page.getByLabel("Title").fill("Translators");
  await page.getByLabel("Drafts and working copies").check();
  await page.getByRole("combobox", { name: "Languages" }).click();
  await eventually(() => page.getByRole("option").allTextContents(), ["English (en)", "German (de)", "French (fr)"]);
  await page.getByRole("option", { name: "German (de)" }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").getByText("Only in de.").waitFor();
  await page.getByLabel("Reads only").check();
  await eventually(() => page.getByRole("combobox", { name: "Languages" }).count(), 0);
  await page.getByLabel("Drafts and working copies").check();
  await page.getByRole("button", { name: "Create" }).click();
  await roleOf(page, "Translators").says("which others publish; uploads new files. Only in de.");
});

flow("a role that somebody has stays, and says whose it is; one that nobody has is deleted", async (context) => {
  const role = { id: "shop", title: "Shop", resources: ["entries"], writes: "all" };
  await manage("PUT", "/api/roles", role);
  const page = await desk.open(context, "/roles");
  const { row, act, says } = roleOf(page, "Shop");
  await says("Nobody");
  await act("Delete");
  const asked = page.getByRole("dialog", { name: "Delete the role Shop?" });
  await asked.waitFor();
  // Somebody gets it before the answer.
  const { id } = await manage<{ id: string }>("POST", "/api/people", { email: "nora@example.org", role: "shop" });
  await asked.getByRole("button", { name: "Delete" }).click();
  const inUse = page.getByRole("dialog", { name: "Shop is in use" });
  await inUse.getByText("nora@example.org has this role. Give this person another one first.").waitFor();
  await inUse.getByRole("link", { name: "To the people" }).click();
  await page.getByRole("button", { name: "Actions for nora@example.org" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("combobox", { name: "Role" }).click();
  await page.getByRole("option", { name: "Viewer" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Roles", exact: true }).click();
  await says("Nobody");
  await act("Delete");
  await asked.getByRole("button", { name: "Delete" }).click();
  await row.waitFor({ state: "detached" });
  await manage("DELETE", "/api/people", { id });
});

flow(
  "the sessions of a person are listed and ended; disabling, enabling, a link, and deleting with a question",
  async (context) => {
    const { page: one, email } = await joinAs(context, "editor", "Sam");
    const two = await desk.openFresh(context, "");
    await fill(two, { "Email address": email, Password: password });
    await two.getByRole("button", { name: "Sign in", exact: true }).click();
    await two.getByRole("button", { name: "Sam, account" }).waitFor();
    const { page: owner } = await joinAs(context, "owner", "Orla");
    await owner.goto(`${desk.world.app.url}/admin/people`);
    const act = async (name: string) => {
      await owner.getByRole("button", { name: "Actions for Sam" }).click();
      await owner.getByRole("menuitem", { name, exact: true }).click();
    };
    const isOut = (page: Page) => page.getByText("The session has ended").waitFor();
    await act("Sessions");
    const shown = owner.getByRole("dialog", { name: "Sessions of Sam" });
    const ends = shown.getByRole("button", { name: /^End the session/ });
    await ends.nth(1).waitFor();
    await ends.first().click();
    await ends.nth(1).waitFor({ state: "detached" });
    await two.getByRole("link", { name: "Media" }).click();
    await isOut(two);
    await shown.getByRole("button", { name: "End all", exact: true }).click();
    await shown.getByText("Not signed in anywhere").waitFor();
    await one.getByRole("link", { name: "Media" }).click();
    await isOut(one);
    await shown.getByRole("button", { name: "Close" }).last().click();

    const row = owner.getByRole("row").filter({ hasText: "Sam" });
    await act("Disable");
    await owner.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
    await row.getByText("Disabled").waitFor();
    await act("Enable");
    await row.getByText("Active").waitFor();
    await act("New link for a password");
    await eventually(async () => {
      const link = (await owner.getByRole("dialog").locator("code").textContent()) ?? "";
      assert.match(link, /#code=reset-/);
    });
    await owner.getByRole("button", { name: "I have it" }).click();
    await act("Delete");
    const asked = owner.getByRole("dialog", { name: "Delete Sam?" });
    await asked.getByText("The name stays in the log").waitFor();
    await asked.getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });

    // Of oneself: the present session is not ended here, and the password is changed on the profile.
    await owner.getByRole("button", { name: "Actions for Orla" }).click();
    await eventually(() => owner.getByRole("menuitem", { name: /link/ }).count(), 0);
    await owner.getByRole("menuitem", { name: "Sessions" }).click();
    const own = owner.getByRole("dialog", { name: "Sessions of Orla" });
    await own.getByText("This session").waitFor();
    await eventually(() => own.getByRole("button", { name: /^End/ }).count(), 0);
  },
);

/** The calls of the page that were refused since the last look. */
function refusalsOf(page: Page): () => string[] {
  const refused: string[] = [];
  page.on("response", (reply) => {
    if (reply.status() === 403) refused.push(`${reply.request().method()} ${reply.url()}`);
  });
  return () => refused.splice(0);
}

type Walk = { role: string; menu: string[]; buttons: Record<string, string[]> };

// Own roles beside those that are built in: for a part of the tree, and for files alone.
const walks: Walk[] = [
  {
    role: "editor",
    menu: ["Home", "Entries", "Media", "Work", "Translations", "Releases", "Trash", "Types"],
    buttons: { files: ["New folder", "Upload"] },
  },
  {
    role: "author",
    menu: ["Home", "Entries", "Media", "Work", "Translations", "Releases", "Types"],
    buttons: { files: ["Upload"] },
  },
  {
    role: "viewer",
    menu: ["Home", "Entries", "Media", "Work", "Translations", "Releases", "Types"],
    buttons: { files: [] },
  },
  {
    role: "press",
    menu: ["Home", "Entries", "Media", "Work", "Translations", "Releases", "Trash", "Types"],
    buttons: { files: [], "files/press": ["New folder", "Upload"] },
  },
  { role: "pictures", menu: ["Media", "Trash"], buttons: { files: ["Upload"] } },
];

for (const { role, menu: expected, buttons } of walks) {
  flow(`${role}: the menu and the buttons are what the role allows, and no call is refused`, async (context) => {
    await manage("PUT", "/api/roles", {
      id: "press",
      resources: ["entries", "files", "folders"],
      paths: ["press"],
      writes: "all",
    });
    await manage("PUT", "/api/roles", { id: "pictures", resources: ["files"], writes: "all" });
    await desk.world.send("POST", "/api/folders", { body: { ...tokens(), path: "press" } });
    const { page } = await joinAs(context, role, `W${role}`);
    const refused = refusalsOf(page);
    const menu = page.getByRole("navigation", { name: "Main" });
    const fold = menu.getByRole("button", { name: "Management" });
    if (expected.includes("Types")) await fold.click();
    await eventually(
      async () => (await menu.getByRole("link").allTextContents()).filter((text) => text !== "Octavo"),
      expected,
    );
    for (const label of expected) {
      await menu.getByRole("link", { name: label, exact: true }).click();
      await page.waitForURL((url) => !url.pathname.endsWith("/admin"));
      await settle(page);
      assert.deepEqual(refused(), [], label);
      await eventually(
        async () => (await page.locator("#content").innerText()).length > 20,
        true,
        `${label} says nothing`,
      );
    }
    for (const [path, names] of Object.entries(buttons)) {
      await page.goto(`${desk.world.app.url}/admin/${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await settle(page);
      for (const name of ["New folder", "Upload"])
        await eventually(
          () => page.getByRole("button", { name, exact: true }).count(),
          names.includes(name) ? 1 : 0,
          `${path}: ${name}`,
        );
      assert.deepEqual(refused(), [], path);
    }
  });
}

flow("who sees no folders finds all files in one list", async (context) => {
  const form = new FormData();
  for (const [name, text] of Object.entries({ ...tokens(), folder: "deep/down" })) form.set(name, text);
  form.set("file", new Blob(["text"]), "notes.txt");
  assert.equal((await fetch(`${desk.world.app.url}/api/files`, { method: "POST", body: form })).status, 200);
  const { page } = await joinAs(context, "author", "Aurora");
  await page.getByRole("link", { name: "Media" }).click();
  await page.getByRole("link", { name: "notes.txt" }).click();
  await page.getByRole("dialog").getByText("deep/down").first().waitFor();
});

/** Makes the session of the page one that began an hour ago. */
async function age(page: Page): Promise<void> {
  const { sessions, idempotency } = desk.world.app.stores;
  const reply = await page.request.get(`${desk.world.app.url}/admin/session`, {
    headers: { "Sec-Fetch-Site": "same-origin" },
  });
  const { id } = ((await reply.json()) as { data: { id: string } }).data;
  const nowSeconds = Math.floor(Date.now() / 1000);
  const session = await sessions.find(id, nowSeconds);
  assert.ok(session);
  // In one transaction: a request of the page that found no session would sign it out.
  const writes = [
    { name: "endSession", args: [id, { actor: session.actor, nowSeconds }] },
    { name: "startSession", args: [{ ...session, createdAt: nowSeconds - 3600 }, 50] },
  ];
  await idempotency.writeAll(writes, { isDryRun: false });
}

flow("a refusal because of an old sign-in asks for the password, and loses nothing typed", async (context) => {
  const { page } = await joinAs(context, "owner", "Otto");
  await page.getByRole("link", { name: "People" }).click();
  await age(page);
  await page.getByRole("button", { name: "Actions for Otto" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog", { name: "Otto" });
  await dialog.getByLabel("Email address *", { exact: true }).fill("otto.new@example.org");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByLabel("Your password", { exact: true }).fill("wrong harbour at noon");
  await page.keyboard.press("Enter");
  await dialog.getByText("The email address or the password is wrong").waitFor();
  await dialog.getByLabel("Your password", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
  await dialog.getByText("Signed in again: now repeat the action").waitFor();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("otto.new@example.org").first().waitFor();
});
