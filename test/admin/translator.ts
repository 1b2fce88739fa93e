import type { TestContext } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { type Desk, write } from "./browser.ts";

/** People of a desk who write working copies, in these languages alone; each signs in by an invitation. */
export function translators({ world, openFresh }: Desk) {
  let people = 0;
  return async (context: TestContext, locales: string[], options: BrowserContextOptions = {}): Promise<Page> => {
    const id = `only-${locales.join("-")}`;
    await write(world, "PUT", "/api/roles", { id, title: id, resources: ["entries"], writes: "staged", locales });
    const { management, access } = world.token;
    const body = { token: management, access_token: access, email: `tina-${++people}@example.org`, role: id };
    const invited = await world.send("POST", "/api/people", { body });
    const page = await openFresh(context, "", options);
    await page.goto((invited.json.data as { link: string }).link);
    await page.getByLabel("Name *", { exact: true }).fill("Tina");
    await page.getByLabel("Password *", { exact: true }).fill("a quiet harbour at noon");
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await page.getByRole("navigation", { name: "Main" }).waitFor({ state: "attached" });
    return page;
  };
}
