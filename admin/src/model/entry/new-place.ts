import type { ContentType } from "../../../../client/src/client.ts";
import { joinPath } from "../../api/path.ts";
import { say } from "../../language/say.ts";
import type { Types } from "../types.ts";

/** Where a new entry of a type goes, by the patterns of its paths: nobody has to know them. */

/** A parent whose children are of the type, or the one id of a type that has a single entry. */
export type Start = { parent: string } | { id: string };

const isWild = (segment: string): boolean => segment === "*" || segment === "**";

/** The places that the patterns of a type name; a pattern with a wildcard in the middle names none. */
export function startsOf({ paths }: Pick<ContentType, "paths">): Start[] {
  return paths.flatMap((pattern): Start[] => {
    const segments = pattern.split("/");
    const firstWild = segments.findIndex(isWild);
    if (firstWild < 0) return [{ id: pattern }];
    const rest = segments.slice(firstWild);
    const isOneLevel = rest.every(isWild) && rest.filter((segment) => segment === "*").length <= 1;
    return isOneLevel ? [{ parent: segments.slice(0, firstWild).join("/") }] : [];
  });
}

/** True when an entry at the id is, or can say that it is, of the type. */
export const fits = ({ typeOf }: Types, id: string, type: ContentType): boolean => typeOf(id, type.id)?.id === type.id;

/** The places for an entry of the type: the one where the person is, if it fits, then those of its patterns. */
export function placesFor(types: Types, type: ContentType | undefined, below: string): Start[] {
  if (!type) return [{ parent: below }];
  const isHere = fits(types, joinPath(below, "x"), type);
  const others = startsOf(type).filter((start) => !("parent" in start && isHere && start.parent === below));
  return [...(isHere ? [{ parent: below }] : []), ...others];
}

/** The id in a place, of a name made from the title. */
export const idIn = (start: Start | undefined, name: string): string =>
  start === undefined ? "" : "id" in start ? start.id : joinPath(start.parent, name);

/** What a place is called in a choice. */
export const nameOfPlace = (start: Start): string =>
  "id" in start ? start.id : start.parent === "" ? say("The top") : start.parent;
