/**
 * Runs test files in one process, one after the other, each in a suite of its own with hooks of its own: most of the
 * time of a short file is the start of its process. `node test/group.ts FILE…`; run.ts says which files share one.
 */

import { relative } from "node:path";
import { after, describe } from "node:test";
import { pathToFileURL } from "node:url";
import { importFile } from "./ending.ts";

for (const file of process.argv.slice(2)) await suiteOf(file);

/** Fulfils when the suite has ended: what a file opens when it is imported is not open beside that of the others. */
function suiteOf(file: string): Promise<void> {
  return new Promise((ended) => {
    describe(relative(process.cwd(), file), async () => {
      try {
        await importFile(pathToFileURL(file).href);
      } catch (error) {
        ended();
        throw error;
      }
      after(() => ended());
    });
  });
}
