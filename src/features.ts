import { accessFeature } from "./access/feature.ts";
import { agentFeature } from "./agent/feature.ts";
import { backupFeature } from "./backup/feature.ts";
import { batchFeature } from "./batch/feature.ts";
import { changeFeature } from "./change/feature.ts";
import { entryFeature } from "./entry/feature.ts";
import type { Feature } from "./feature.ts";
import { feedFeature } from "./feed/feature.ts";
import { fileFeature } from "./file/feature.ts";
import { healthFeature } from "./health/feature.ts";
import { imageFeature } from "./image/feature.ts";
import { migrationFeature } from "./migration/feature.ts";
import { movingFeature } from "./moving/feature.ts";
import { pageFeature } from "./page/feature.ts";
import { peopleFeature } from "./people/feature.ts";
import { referenceFeature } from "./reference/feature.ts";
import { registryFeature } from "./registry/feature.ts";
import { renderFeature } from "./render/feature.ts";
import { searchFeature } from "./search/feature.ts";
import { transferFeature } from "./transfer/feature.ts";
import { translationFeature } from "./translation/feature.ts";
import { trashFeature } from "./trash/feature.ts";
import { typeFeature } from "./type/feature.ts";
import { uploadFeature } from "./upload/feature.ts";
import { versionFeature } from "./version/feature.ts";
import { viewFeature } from "./view/feature.ts";
import { webhookFeature } from "./webhook/feature.ts";
import { workingCopyFeature } from "./working-copy/feature.ts";

/**
 * The features. Nouns, settings, problems, events, chores, commands, routes and metrics are read from this list, in its
 * order; a batch and an agent call the routes of the features before theirs.
 */
export const features: readonly Feature[] = [
  typeFeature,
  feedFeature,
  versionFeature,
  fileFeature,
  entryFeature,
  translationFeature,
  changeFeature,
  registryFeature,
  trashFeature,
  workingCopyFeature,
  referenceFeature,
  renderFeature,
  uploadFeature,
  transferFeature,
  imageFeature,
  searchFeature,
  pageFeature,
  viewFeature,
  peopleFeature,
  migrationFeature,
  accessFeature,
  webhookFeature,
  healthFeature,
  backupFeature,
  movingFeature,
  batchFeature,
  agentFeature,
];
