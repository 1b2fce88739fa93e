import { decode, NotImported } from "./import-entry.ts";
import { exportMarker, type Layout, type Project } from "./moving.ts";

/** The file that an export begins and ends with. */

/** Throws NotImported for an export that was interrupted, or is of another version. */
export function refuseUnfinished(project: Project, { kind, top }: Layout): void {
  if (kind !== "export") return;
  try {
    const marker: unknown = JSON.parse(decode(project.read(`${top}${exportMarker}`, 10_000)));
    const { format, complete } = Object(marker) as { format?: unknown; complete?: unknown };
    if (format !== 1) throw new NotImported(`the format of its ${exportMarker} is not 1`);
    if (complete !== true) throw new NotImported("its export was interrupted: run octavo export again");
  } catch (error) {
    if (error instanceof SyntaxError) throw new NotImported(`its ${exportMarker} is no JSON`);
    throw error;
  }
}
