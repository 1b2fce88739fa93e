import { tokenOperations } from "../src/access/token-docs.ts";
import { batchOperations } from "../src/batch/docs.ts";
import type { Route } from "../src/core/http/route.ts";
import { entryOperations } from "../src/entry/docs.ts";
import { changeOperations } from "../src/feed/change-docs.ts";
import { eventOperations } from "../src/feed/event-docs.ts";
import { fileOperations } from "../src/file/docs.ts";
import { folderOperations } from "../src/file/folder-docs.ts";
import { healthOperations } from "../src/health/docs.ts";
import { imageOperations } from "../src/image/docs.ts";
import { passkeyOperations } from "../src/people/passkey-docs.ts";
import { personOperations } from "../src/people/person-docs.ts";
import { roleOperations } from "../src/people/role-docs.ts";
import { sessionOperations } from "../src/people/session-docs.ts";
import { referenceOperations } from "../src/reference/docs.ts";
import { registryOperations } from "../src/registry/docs.ts";
import { typeOperations } from "../src/type/docs.ts";
import { historyOperations } from "../src/version/history-docs.ts";
import { releaseOperations } from "../src/version/release-docs.ts";
import { stagedOperations } from "../src/version/staged-docs.ts";
import { trashOperations } from "../src/version/trash-docs.ts";
import { viewOperations } from "../src/view/docs.ts";
import { webhookOperations } from "../src/webhook/docs.ts";
import type { Described, Descriptions } from "./example.ts";

/** A route of the API with everything that the reference shows. */
export type ApiRoute = Route & Described;

export const descriptions: Descriptions = {
  ...entryOperations,
  ...folderOperations,
  ...fileOperations,
  ...imageOperations,
  ...registryOperations,
  ...batchOperations,
  ...changeOperations,
  ...historyOperations,
  ...stagedOperations,
  ...releaseOperations,
  ...typeOperations,
  ...referenceOperations,
  ...trashOperations,
  ...tokenOperations,
  ...sessionOperations,
  ...personOperations,
  ...passkeyOperations,
  ...roleOperations,
  ...viewOperations,
  ...eventOperations,
  ...webhookOperations,
  ...healthOperations,
};

export const routeName = ({ method, url }: Pick<Route, "method" | "url">): string => `${method} ${url}`;

/** A route with its description and examples. Throws if it has none. */
export function describeRoute(route: Route): ApiRoute {
  const described = descriptions[routeName(route)];
  if (described) return { ...route, ...described };
  throw new Error(`no docs.ts of a feature has a description and examples of ${routeName(route)}`);
}
