// Slow: it runs a browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { cut as shape, shapes } from "../../admin/src/model/image/focal.ts";
import { planSize } from "../../src/image/geometry.ts";
import { png } from "../acceptance/media.ts";
import { eventually } from "../eventually.ts";
import { audit, auditAll, flow, overflow, read, settle, skip, useDesk, write } from "./browser.ts";

const desk = useDesk();
const { world } = desk;
const dot = png({ width: 4, height: 4, shade: 90 }).toString("base64");

before(async () => {
  if (skip) return;
  await world.ready;
  const form = new FormData();
  form.set("token", world.token.management);
  form.set("access_token", world.token.access);
  form.set("folder", "bench");
  const bytes = readFileSync(new URL("../../assets/demo/uploads/movies/solaris.jpg", import.meta.url));
  form.set("file", new Blob([bytes]), "sea.jpg");
  assert.equal((await fetch(`${world.app.url}/api/files`, { method: "POST", body: form })).status, 200);
});

flow("every argument of the OpenAPI description has a control with its help text", async (context) => {
  const page = await desk.open(context, "/images/bench/sea.jpg");
  await page.locator(".stage img").waitFor();
  for (const name of ["Crop and rotate", "Effects", "Background and border", "Watermark"]) {
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
    await eventually(async () => (await help.getAttribute("aria-label"))?.endsWith(description), assert.ok, name);
  }
});

flow("a change is drawn at once, and the shown URL gives the same image", async (context) => {
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
  const address = `${world.app.url}/api/images/bench/sea.jpg?w=320&h=320&fit=crop&fm=webp&bri=1&token=`;
  await eventually(() => page.locator(".copy-line code").textContent(), `${address}IMAGES_TOKEN`);
  const reply = await fetch(address + world.token.images);
  assert.equal(reply.headers.get("content-type"), "image/webp");
  await page.reload();
  await page.getByText("320 × 320,").waitFor();
  await page.getByRole("button", { name: "Reset", exact: true }).click();
  await page.getByText("1600 × 1000,").first().waitFor();
});

flow("an invalid value shows the service's refusal, and no previous image beside it", async (context) => {
  const page = await desk.open(context, "/images/bench/sea.jpg?w=200");
  await page.getByText("200 × 125,").waitFor();
  await page.locator('[data-argument="w"] input:visible').fill("wide");
  await page.getByRole("alert").getByText('"w" was "wide"').waitFor();
  await eventually(() => page.locator(".stage img").count(), 0);
  await eventually(() => page.getByText("200 × 125,").count(), 0);
  await page.locator('[data-argument="w"] input:visible').fill("100");
  await page.getByText("100 × 63,").waitFor();
});

flow("dragging a rectangle crops the image, even a rotated one", async (context) => {
  const page = await desk.open(context, "/images/bench/sea.jpg?w=200");
  const drag = async (from: [number, number], to: [number, number]) => {
    const image = page.locator(".crop-stage img");
    await page.waitForFunction(() => (document.querySelector(".crop-stage img") as HTMLImageElement)?.naturalWidth > 0);
    const box = await image.boundingBox();
    assert.ok(box);
    const at = ([x, y]: [number, number]) => [box.x + x * box.width, box.y + y * box.height] as const;
    await page.mouse.move(...at(from));
    await page.mouse.down();
    await page.mouse.move(...at(to), { steps: 4 });
    await page.mouse.up();
  };
  const cut = async () => {
    const [, text = ""] = /crop=([\d,]+)/.exec(decodeURIComponent(page.url())) ?? [];
    return text.split(",").map(Number);
  };
  const near = (found: number[], expected: number[]) => {
    for (const [i, value] of expected.entries())
      assert.ok(Math.abs((found[i] ?? Number.NaN) - value) <= 8, `${found} is not near ${expected}`);
  };
  await page.getByText("200 × 125,").waitFor();
  await page.getByRole("button", { name: "Crop", exact: true }).click();
  // From the lower right to beyond the edge.
  await drag([0.75, 0.5], [-0.1, 0.1]);
  await page.waitForURL(/crop=/);
  near(await cut(), [1200, 400, 0, 100]);
  await page.locator(".crop-frame").waitFor();
  assert.deepEqual(await audit(page), []);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("200 × 67,").waitFor();
  await page.getByRole("button", { name: "Reset", exact: true }).click();
  await page.getByRole("button", { name: "Crop and rotate" }).click();
  await page.locator('[data-argument="or"] input:visible').click();
  await page.getByRole("option", { name: "90", exact: true }).click();
  await page.getByText("1000 × 1600,").first().waitFor();
  await page.getByRole("button", { name: "Crop", exact: true }).click();
  await drag([0.5, 0.25], [1, 1]);
  await page.waitForURL(/crop=/);
  near(await cut(), [500, 1200, 500, 400]);
});

test("the shapes show what the service cuts", () => {
  const limits = { maxSide: 8192, maxOutputPixels: 1e8 };
  for (const size of [
    { width: 1600, height: 1000 },
    { width: 700, height: 1900 },
  ])
    for (const { ratio } of shapes)
      for (const point of [
        { x: 0, y: 0 },
        { x: 27, y: 40 },
        { x: 50, y: 50 },
        { x: 88, y: 97 },
      ]) {
        const box = { width: 400, height: Math.round(400 / ratio) };
        const fit = { kind: "crop", ...point, zoom: 1 } as const;
        const { scaled } = planSize(size, { w: { px: box.width }, h: { px: box.height }, fit, dpr: 1 }, limits);
        const shown = shape(size, ratio, point);
        for (const [side, of] of [
          ["width", box.width],
          ["height", box.height],
          ["left", box.width],
          ["top", box.height],
        ] as const)
          assert.ok(
            Math.abs((shown[side] / 100) * of - scaled[side]) < 2,
            `${side} ${JSON.stringify({ size, ratio, point, shown, scaled })}`,
          );
      }
});

flow("pictures without alt text are found in all folders, and a copied picture is pasted", async (context) => {
  const page = await desk.open(context, "/files/bench");
  await page.locator(".file-card").waitFor();
  await page.evaluate((base64) => {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], "image.png", { type: "image/png" }));
    const paste = () => new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
    // Where somebody writes it stays with the text.
    document.querySelector("input")?.dispatchEvent(paste());
    document.body.dispatchEvent(paste());
  }, dot);
  await page.locator(".file-name", { hasText: "image.png" }).waitFor();
  await eventually(() => page.locator(".file-name", { hasText: "image" }).count(), 1);
  const named = { path: "bench/image.png", field: "alt", value: "A dot" };
  await write(world, "POST", "/api/files/meta", { path: "bench/sea.jpg", field: "alt", value: "" });
  await page.goto(`${world.app.url}/admin/files`);
  const toggle = page.getByRole("button", { name: "No alt text" });
  await toggle.click();
  await page.locator(".file-name", { hasText: "sea.jpg" }).waitFor();
  await eventually(
    async () => (await page.locator(".file-name").allTextContents()).toSorted(),
    ["image.png", "sea.jpg"],
  );
  await eventually(() => toggle.getAttribute("aria-pressed"), "true");
  if (process.env.OCTAVO_TEST_LOOK) await page.screenshot({ path: `${process.env.OCTAVO_TEST_LOOK}/alt.png` });
  assert.deepEqual(await audit(page), []);
  await page.getByLabel("Search in this folder").fill("sea");
  await page.locator(".file-name", { hasText: "image.png" }).waitFor({ state: "detached" });
  await page.getByLabel("Search in this folder").fill("");
  await write(world, "POST", "/api/files/meta", named);
  await write(world, "DELETE", "/api/files/meta", { path: "bench/sea.jpg", field: "alt" });
  await page.reload();
  await page.locator(".file-name", { hasText: "sea.jpg" }).waitFor();
  await eventually(() => page.locator(".file-name").allTextContents(), ["sea.jpg"]);
  await write(world, "DELETE", "/api/files", { path: "bench/image.png" });
});

flow("the point that crops keep is set by a click and by keys, beside what the picture shows", async (context) => {
  const stored = () => read<Record<string, unknown>>(world, "/api/files", { path: "bench/sea.jpg" });
  const page = await desk.open(context, "/files/bench?file=sea.jpg");
  const point = page.getByRole("slider", { name: "Focal point" });
  const says = (words: string) => page.getByRole("dialog").getByText(words).waitFor();
  await says("Click what crops should keep");
  await page.waitForFunction(() =>
    Boolean(document.querySelector<HTMLImageElement>(".focal-picture img")?.naturalWidth),
  );
  const box = await point.boundingBox();
  assert.ok(box && box.width > 200, "the picture is drawn");
  await point.click({ position: { x: box.width / 4, y: box.height / 2 } });
  await says("Crops keep this point: 25 %, 50 %");
  await eventually(async () => String((await stored()).focal), /^0\.2[45]\d?,0\.(5\d*|49\d)$/);
  await point.press("ArrowRight");
  await point.press("ArrowRight");
  await point.press("Shift+ArrowUp");
  await eventually(() => point.getAttribute("aria-valuetext"), /^27 % from the left, 40 % from the top$/);
  await says("Crops keep this point: 27 %, 40 %");
  await eventually(async () => String((await stored()).focal), /^0\.2[67]\d?,0\.(4\d*|39\d)$/);
  await eventually(() => page.locator(".focal-shapes figcaption").allTextContents(), ["Wide", "Square", "Tall"]);
  const [first, ...others] = await page
    .locator(".focal-shapes span")
    .evaluateAll((all) => all.map(({ clientWidth, clientHeight }) => clientWidth / clientHeight));
  assert.ok(Math.abs((first ?? 0) - 16 / 9) < 0.05 && others.length === 2, String([first, ...others]));
  // A closed drawer has sent what was not sent yet.
  await point.press("End");
  await point.press("ArrowLeft");
  await page.getByRole("button", { name: "Close" }).first().click();
  await point.waitFor({ state: "detached" });
  await page.goto(`${world.app.url}/admin/files/bench?file=sea.jpg`);
  await says("26 %, 40 %");

  await page.getByLabel("What the picture shows").fill("A sea");
  await page.getByLabel("What the picture shows").press("Enter");
  await page.getByText("Saved", { exact: true }).waitFor();
  await eventually(async () => (await stored()).alt, "A sea");
  if (process.env.OCTAVO_TEST_LOOK) await page.screenshot({ path: `${process.env.OCTAVO_TEST_LOOK}/focal.png` });
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 800 });
  await settle(page);
  assert.equal(await overflow(page), 0);
  await page.getByRole("button", { name: "Remove the point" }).press("Enter");
  await says("Click what crops should keep");
  await eventually(async () => !("focal" in (await stored())), true);
});
