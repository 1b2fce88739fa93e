import { rm } from "node:fs/promises";
import type { Route } from "../core/http/route.ts";
import type { Settings } from "../settings.ts";
import type { Opened, Stores } from "../stores.ts";
import type { OutputLimits } from "./geometry.ts";
import { RenditionMaker } from "./rendition.ts";
import { type ImageOptions, imageRoutes } from "./routes.ts";
import { parseImageDefaults, parseImageMarks, parseImagePresets } from "./settings.ts";
import { SharpRenderer } from "./sharp/renderer.ts";

/** Assembles what draws and serves pictures, from the settings. */

export function openRenderer(settings: Settings, { bytes, staging }: Opened): SharpRenderer {
  return new SharpRenderer({
    workers: settings.renderWorkers,
    maxQueue: settings.renderQueueMax,
    timeoutMs: settings.renderTimeoutSeconds * 1000,
    svgTimeoutMs: Math.min(settings.renderTimeoutSeconds, settings.renderSvgTimeoutSeconds) * 1000,
    maxMemoryBytes: settings.renderMemoryBytes,
    idleMs: 60_000,
    limits: { ...outputLimits(settings), maxSourcePixels: settings.imageMaxPixels },
    sources: bytes.sources,
    temporaryFile: () => staging.temporaryFile(),
    remove: (file) => rm(file, { force: true }),
  });
}

const outputLimits = (settings: Settings): OutputLimits => ({
  maxOutputPixels: settings.renderMaxPixels,
  maxSide: 8192,
});

/** The routes of images, drawn by the renderer. */
export function pictureRoutes(
  stores: Stores,
  settings: Settings,
  renderer: SharpRenderer,
  groups: ImageOptions["groups"],
): Route[] {
  const markFolder = parseImageMarks(settings.imageMarks);
  const maker = new RenditionMaker({ ...stores, renderer }, markFolder);
  return imageRoutes({ ...stores, maker }, { ...imageOptions(stores, settings), markFolder, groups });
}

const imageOptions = ({ signingKey }: Stores, settings: Settings) => ({
  signingKey,
  isStrict: settings.imageStrict === "on",
  limits: outputLimits(settings),
  defaults: parseImageDefaults(settings.imageDefaults),
  presets: parseImagePresets(settings.imagePresets),
  publicPresets: new Set(settings.imagePublic),
  maxAgeSeconds: settings.imageMaxAgeSeconds,
});
