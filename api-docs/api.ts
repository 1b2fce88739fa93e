import type { Route } from "../src/core/http/route.ts";
import type { Described, Descriptions } from "./example.ts";
import { featureDocs } from "./feature-docs.ts";

/** A route of the API with everything that the reference shows. */
export type ApiRoute = Route & Described;

export const descriptions: Descriptions = Object.assign({}, ...featureDocs.map(({ operations }) => operations));

export const routeName = ({ method, url }: Pick<Route, "method" | "url">): string => `${method} ${url}`;

/** A route with its description and examples. Throws if it has none. */
export function describeRoute(route: Route): ApiRoute {
  const described = descriptions[routeName(route)];
  if (described) return { ...route, ...described };
  throw new Error(`no docs.ts of a feature has a description and examples of ${routeName(route)}`);
}
