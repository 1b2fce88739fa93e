import { rm } from "node:fs/promises";
import { byOutcome, figure } from "../core/metric.ts";
import { groupsOf } from "../reading.ts";
import type { Served, Service } from "../service.ts";
import type { Settings } from "../settings.ts";
import type { Stores } from "../stores.ts";
import type { OutputLimits } from "./geometry.ts";
import { Placeholders } from "./placeholder.ts";
import { PublicPictures } from "./public-picture.ts";
import { RenditionMaker } from "./rendition.ts";
import { imageRoutes } from "./routes.ts";
import { parseImageDefaults, parseImageMarks, parseImagePresets } from "./settings.ts";
import { SharpRenderer } from "./sharp/renderer.ts";

/** Assembles what draws and serves pictures, from the settings. */

/** What draws; its processes start with the first picture. */
function rendererOf({ settings, stores: { sources, staging } }: Service): SharpRenderer {
  return new SharpRenderer({
    workers: settings.renderWorkers,
    maxQueue: settings.renderQueueMax,
    timeoutMs: settings.renderTimeoutSeconds * 1000,
    svgTimeoutMs: Math.min(settings.renderTimeoutSeconds, settings.renderSvgTimeoutSeconds) * 1000,
    maxMemoryBytes: settings.renderMemoryBytes,
    idleMs: 60_000,
    limits: { ...outputLimits(settings), maxSourcePixels: settings.imageMaxPixels },
    sources,
    temporaryFile: () => staging.temporaryFile(),
    remove: (file) => rm(file, { force: true }),
  });
}

const outputLimits = (settings: Settings): OutputLimits => ({
  maxOutputPixels: settings.renderMaxPixels,
  maxSide: 8192,
});

/** The small pictures that stand in place of large ones. */
export const placeholdersOf = (service: Service): Placeholders =>
  new Placeholders(service.stores.placeholders, service.part(rendererOf));

/** Pictures in HTML. */
export const publicPicturesOf = ({ stores, settings }: Service): PublicPictures =>
  new PublicPictures(stores, {
    ...imageOptions(stores, settings),
    areUploadsPublic: settings.uploadsPrivate === "off",
  });

export function serveImage(service: Service): Served {
  const { stores, settings } = service;
  const renderer = service.part(rendererOf);
  const markFolder = parseImageMarks(settings.imageMarks);
  const maker = new RenditionMaker({ ...stores, renderer }, markFolder);
  const groups = service.part(groupsOf);
  return {
    api: imageRoutes({ ...stores, maker }, { ...imageOptions(stores, settings), markFolder, groups }),
    figures: async () => [
      ...figure("octavo_renders_waiting", renderer.figures.waiting),
      ...byOutcome("octavo_renders_total", renderer.figures.outcomes),
    ],
    stop: () => renderer.close(),
  };
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
