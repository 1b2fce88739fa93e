import { globSync } from "node:fs";
import type { Descriptions, Tag } from "./example.ts";

/** What the features say of themselves for the reference: every `docs.ts` and `-docs.ts` below `src/`. */

type Docs = { operations: Descriptions; tags?: readonly Tag[] };

const src = new URL("../src/", import.meta.url);

const files = globSync("*/{docs,*-docs}.ts", { cwd: src }).sort();

export const featureDocs: readonly Docs[] = await Promise.all(
  files.map((file) => import(new URL(file, src).href) as Promise<Docs>),
);
