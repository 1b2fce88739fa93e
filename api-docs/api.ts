import type { Route } from "../src/core/http/route.ts";
import type { Described, Descriptions } from "./example.ts";
import { batchOperations } from "./operation/batch.ts";
import { changeOperations } from "./operation/change.ts";
import { entryOperations } from "./operation/entry.ts";
import { eventOperations } from "./operation/event.ts";
import { fileOperations } from "./operation/file.ts";
import { folderOperations } from "./operation/folder.ts";
import { healthOperations } from "./operation/health.ts";
import { historyOperations } from "./operation/history.ts";
import { imageOperations } from "./operation/image.ts";
import { passkeyOperations } from "./operation/passkey.ts";
import { personOperations } from "./operation/person.ts";
import { referenceOperations } from "./operation/reference.ts";
import { registryOperations } from "./operation/registry.ts";
import { releaseOperations } from "./operation/release.ts";
import { roleOperations } from "./operation/role.ts";
import { sessionOperations } from "./operation/session.ts";
import { stagedOperations } from "./operation/staged.ts";
import { tokenOperations } from "./operation/token.ts";
import { trashOperations } from "./operation/trash.ts";
import { typeOperations } from "./operation/type.ts";
import { viewOperations } from "./operation/view.ts";
import { webhookOperations } from "./operation/webhook.ts";

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
  throw new Error(`api-docs/operation/ has no description and no examples of ${routeName(route)}`);
}
