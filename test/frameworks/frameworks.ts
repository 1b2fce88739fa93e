/**
 * `npm run test:frameworks`: the loaders of `@octavo/client/loader` in the frameworks themselves, which are installed from npm
 * into a temporary folder. Takes minutes and the network, so it is no part of `npm test`.
 */
import "../env.ts";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

const root = new URL("../../", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "octavo-frameworks-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const url = "https://content.example.org";
const options = JSON.stringify({ url, preset: { card: 400, hero: 960 } });
const at = `${url}/api/images/movies/a%20b.jpg?p=`;

before(() => {
  cpSync(new URL("package.json", import.meta.url), join(folder, "package.json"));
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"], { cwd: folder });
  execFileSync("npm", ["run", "--silent", "-w", "@octavo/client", "build"], { cwd: root });
  const client = join(folder, "node_modules/@octavo/client");
  mkdirSync(client, { recursive: true });
  for (const part of ["package.json", "dist"])
    cpSync(join(root, "client", part), join(client, part), { recursive: true });
});

/** What a program in the folder prints, as JSON. */
function run(program: string): never {
  const { __NEXT_IMAGE_OPTS: _, ...env } = process.env;
  const text = `import * as loaders from "@octavo/client/loader"; const options = ${options};\n${program}`;
  writeFileSync(join(folder, "program.mjs"), text);
  return JSON.parse(execFileSync(process.execPath, ["program.mjs"], { cwd: folder, env, encoding: "utf8" })) as never;
}

test("next/image asks for its own widths, by densities and by sizes", () => {
  const { fixed, filled, html } = run(`
    import image from "next/image.js";
    import { createElement } from "react";
    import { renderToStaticMarkup } from "react-dom/server";
    const loader = loaders.nextLoader(options);
    const props = { src: "movies/a b.jpg", alt: "", loader };
    const fixed = image.getImageProps({ ...props, width: 400, height: 300 }).props;
    const filled = image.getImageProps({ ...props, fill: true, sizes: "100vw" }).props;
    const html = renderToStaticMarkup(createElement(image.default, { ...props, width: 400, height: 300 }));
    console.log(JSON.stringify({ fixed, filled, html }));`) as Record<"fixed" | "filled", { srcSet: string }> & {
    html: string;
  };
  assert.equal(fixed.srcSet, `${at}card&dpr=1.6 1x, ${at}card&dpr=2.07 2x`);
  assert.match(filled.srcSet, /p=card&dpr=1\.6 640w, .*p=hero&dpr=2 1920w, .*p=hero&dpr=3 3840w$/);
  assert.ok(html.includes(`srcSet="${fixed.srcSet.replaceAll("&", "&amp;")}"`), html);
});

test("@nuxt/image takes it as a provider", () => {
  const { src, sizes } = run(`
    import { createImage } from "./node_modules/@nuxt/image/dist/runtime/image.js";
    import { defineProvider } from "@nuxt/image/runtime";
    const setup = defineProvider({ getImage: loaders.nuxtImage(options) });
    const providers = { octavo: { setup, defaults: {} } };
    const screens = { sm: 640, xl: 1280 };
    const img = createImage({ provider: "octavo", providers, presets: {}, screens, densities: [1, 2], alias: {}, domains: [] });
    const sizes = img.getSizes("movies/a b.jpg", { sizes: "sm:50vw xl:960px", modifiers: { width: 960 } });
    console.log(JSON.stringify({ src: img("movies/a b.jpg", { width: 400 }), sizes }));`) as {
    src: string;
    sizes: { srcset: string };
  };
  assert.equal(src, `${at}card`);
  assert.ok(sizes.srcset.endsWith(`${at}hero 960w, ${at}hero&dpr=2 1920w`), sizes.srcset);
});

test("unpic takes it as a transformer", () => {
  const { src, srcset } = run(`
    import { transformBaseImageProps } from "@unpic/core/base";
    const transformer = loaders.unpicTransformer(options);
    const props = { src: "movies/a b.jpg", transformer, width: 960, height: 540, layout: "constrained", alt: "" };
    console.log(JSON.stringify(transformBaseImageProps(props)));`) as { src: string; srcset: string };
  assert.equal(src, `${at}hero`);
  assert.match(srcset, /p=card&dpr=1\.6 640w,.*p=hero 960w,.*p=hero&dpr=2 1920w/s);
});

test("Astro builds a page with it as its image service", () => {
  const site = join(folder, "site");
  mkdirSync(join(site, "src/pages"), { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(site, name), text);
  write("package.json", '{ "type": "module" }');
  write("astro.config.mjs", 'export default { image: { service: { entrypoint: "./src/service.js" } } };');
  write(
    "src/service.js",
    `import { baseService } from "astro/assets";
    import { astroService } from "@octavo/client/loader";
    export default { ...baseService, ...astroService(${options}) };`,
  );
  const src = `${url}/project/uploads/movies/a%20b.jpg?v=00ff`;
  write(
    "src/pages/index.astro",
    `---\nimport { Image } from "astro:assets";\n---
    <Image src="${src}" alt="A" width={400} height={300} densities={[1, 2]} />
    <Image src="${src}" alt="B" width={960} height={540} widths={[400, 800, 1920]} sizes="100vw" />`,
  );
  const env = { ...process.env, ASTRO_TELEMETRY_DISABLED: "1" };
  execFileSync(process.execPath, ["../node_modules/astro/bin/astro.mjs", "build"], { cwd: site, env, stdio: "pipe" });
  const html = readFileSync(join(site, "dist/index.html"), "utf8").replaceAll("&amp;", "&");
  const v = "&v=00ff";
  assert.ok(html.includes(`srcset="${at}card${v} 1x, ${at}card&dpr=2${v} 2x"`), html);
  assert.ok(html.includes(`srcset="${at}card${v} 400w, ${at}card&dpr=2${v} 800w, ${at}hero&dpr=2${v} 1920w"`), html);
  assert.ok(html.includes(`src="${at}hero${v}"`), html);
});
