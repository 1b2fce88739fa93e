import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before } from "node:test";
import { audit, flow, skip, useDesk } from "./browser.ts";

const desk = useDesk();
const { world } = desk;

before(async () => {
  if (skip) return;
  await world.ready;
  const form = new FormData();
  form.set("token", world.token.management);
  form.set("access_token", world.token.access);
  form.set("folder", "bench");
  const bytes = readFileSync(new URL("../../assets/demo/solaris.jpg", import.meta.url));
  form.set("file", new Blob([bytes]), "sea.jpg");
  assert.equal((await fetch(`${world.app.url}/api/files`, { method: "POST", body: form })).status, 200);
});

flow("every argument that the service describes has its control, with its words", async (context) => {
  const page = await desk.open(context, "/images/bench/sea.jpg");
  await page.locator(".stage img").waitFor();
  for (const name of ["Cut and turn", "Effects", "Ground and frame", "Watermark"]) {
    await page.getByRole("button", { name }).click();
  }
  await page.getByRole("heading", { level: 1, name: "sea.jpg" }).waitFor();
  assert.deepEqual(await audit(page), []);
  const described = (await world.send("GET", "/api/openapi.json")).json as {
    paths: Record<string, { get: { parameters: { name: string; in: string; description: string }[] } }>;
  };
  const own = new Set(["path", "strict", "v", "s", "expires"]);
  const parameters =
    described.paths["/api/images/{path}"]?.get.parameters.filter(
      (parameter) => parameter.in === "query" && !own.has(parameter.name),
    ) ?? [];
  assert.ok(parameters.length > 25);
  for (const { name, description } of parameters) {
    const help = page.locator(`[data-argument="${name}"]`).locator(".argument-help");
    assert.ok((await help.getAttribute("aria-label"))?.endsWith(description), name);
  }
});

flow("a change is drawn at once, and the address that is shown opens the same picture", async (context) => {
  const page = await desk.open(context, "/images/bench/sea.jpg");
  await page.getByText("1600 × 1000,").first().waitFor();
  await page.locator('[data-argument="w"] input:visible').fill("320");
  await page.locator('[data-argument="h"] input:visible').fill("320");
  await page.locator('[data-argument="fit"] input:visible').click();
  await page.getByRole("option", { name: "crop", exact: true }).click();
  await page.locator('[data-argument="fm"] input:visible').click();
  await page.getByRole("option", { name: "webp", exact: true }).click();
  await page.locator('[data-argument="bri"] [role=slider]').press("ArrowRight");
  await page.getByText("320 × 320,").waitFor();
  await page.getByText("image/webp").waitFor();
  const shown = (await page.locator(".copy-line code").textContent()) ?? "";
  assert.match(shown, /\/api\/images\/bench\/sea\.jpg\?w=320&h=320&fit=crop&fm=webp&bri=1&token=IMAGES_TOKEN$/);
  const reply = await fetch(shown.replace("IMAGES_TOKEN", world.token.images));
  assert.equal(reply.headers.get("content-type"), "image/webp");
  await page.reload();
  await page.getByText("320 × 320,").waitFor();
  await page.getByRole("button", { name: "Reset", exact: true }).click();
  await page.getByText("1600 × 1000,").first().waitFor();
});

flow("what is not accepted is said in the service's words, and the last picture stays", async (context) => {
  const page = await desk.open(context, "/images/bench/sea.jpg?w=200");
  await page.getByText("200 × 125,").waitFor();
  await page.locator('[data-argument="w"] input:visible').fill("wide");
  await page.getByRole("alert").getByText('"w" was "wide"').waitFor();
  assert.equal(await page.locator(".stage img").count(), 1);
});
