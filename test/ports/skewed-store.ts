import type { BackupRow, RowBatch } from "../../src/backup/backup.ts";
import type { Slug } from "../../src/core/path.ts";
import type { SqlStore } from "../../src/database.ts";
import { newRelease } from "../../src/working-copy/release.ts";

/** A store that misleads a planner: 20,000 children of one path beside 1,000 paths of two. A guess for either is wrong. */

export const [children, paths] = [20_000, 1000];
/** Of the children of `big` each 50th is of kind x, and says so in its text; each 1,000th has the field `rare`. */
const [every, rarely] = [50, 1000];
export const [few, rare] = [children / every, children / rarely];
/** How many have one of the four states, and one group. */
export const [inState, inGroup] = [children / 4, 20];
/** Of the children of `big`, those with a working copy, all in one release; and those that go live at a later time. */
export const [staged, scheduled] = [100, 10];
export const [releaseId, later] = ["r", 4_000_000_000];
export const [files, folders] = [2000, 1000];
/** Of the files of the folder `big`. */
export const fewFiles = files / every;

const context = { actor: "test", nowSeconds: 100_000 };

const ofBig = (n: number) => ({
  content: "",
  n: (n * 7919) % children,
  kind: n % every === 0 ? "x" : "y",
  state: ["new", "open", "done", "late"][n % 4],
  text: n % every === 0 ? "amber basalt" : "granite",
  ...(n % 10 === 0 && { group: (n / 10) % 100 }),
  ...(n % rarely === 0 && { rare: n, tags: ["seldom", "two"] }),
});
const ofSmall = (n: number) => ({ content: "", n, kind: "y", state: "new", text: "granite" });

/** Fills a new store, as a restore does. */
export async function fillSkewed(store: SqlStore): Promise<void> {
  const { rows } = store;
  const blobs = { count: 1, bytes: 7, sha256: "" };
  await store.ledger.keep(blob, blobs.bytes, 1);
  const { counts, own } = await newStore(store);
  const added = [
    { noun: "event", rows: [eventRow] },
    { noun: "folder", rows: folderRows() },
    { noun: "file", rows: fileRows() },
    { noun: "entry", rows: entryRows() },
  ];
  for (const batch of added) counts[batch.noun] = (counts[batch.noun] ?? 0) + batch.rows.length;
  async function* batches(): AsyncGenerator<RowBatch> {
    yield* own;
    for (const { noun, rows } of added)
      for (let from = 0; from < rows.length; from += 1000) yield { noun, rows: rows.slice(from, from + 1000) };
  }
  await rows.load(batches(), { counts, rows_sha256: "", blobs });
  await store.releases.create(newRelease("R", { ...context, id: releaseId }), context);
  const copy = { data: '{"n":-1}', isMergePatch: true, fields: {}, release: releaseId };
  for (let n = 0; n < staged; n++) await store.staged.stage(`big/e${n * 190}` as Slug, copy, context);
}

/** The rows that a new store has. */
async function newStore({ rows }: SqlStore): Promise<{ counts: Record<string, number>; own: RowBatch[] }> {
  const counts: Record<string, number> = {};
  const own: RowBatch[] = [];
  await rows.snapshot(async (snapshot) => {
    for (const noun of rows.rules.keys()) {
      counts[noun] = await snapshot.count(noun);
      for await (const some of snapshot.rows(noun)) own.push({ noun, rows: some });
    }
  });
  return { counts, own };
}

const eventRow: BackupRow = {
  sequence: 1,
  at: 1,
  kind: "entry.create",
  subject: "big",
  target: null,
  count: 1,
  actor: context.actor,
};

function entryRows(): BackupRow[] {
  const all: BackupRow[] = [];
  const add = (slug: string, data: object, more: BackupRow = {}) =>
    all.push({ ...entryRow(slug, data, all.length + 1), ...more });
  add("big", { content: "" });
  for (let n = 0; n < children; n++)
    add(`big/e${n}`, ofBig(n), {
      ...(n % 100 === 7 && { visibility: "draft" }),
      ...(n % (children / scheduled) === 1 && { published_at: later }),
    });
  for (let n = 0; n < paths; n++) {
    add(`p${n}`, { content: "" });
    for (const name of ["a", "b"]) add(`p${n}/${name}`, ofSmall(n));
  }
  return all;
}

const entryRow = (slug: string, data: object, at: number): BackupRow => ({
  slug,
  uuid: crypto.randomUUID(),
  data: JSON.stringify(data),
  published_at: at,
  created_at: at,
  modified_at: at,
  published_by: context.actor,
  created_by: context.actor,
  routable: 1,
  visibility: "visible",
  revision: 1,
  content_revision: 1,
  staged_revision: null,
});

const folderNames = ["big", ...Array.from({ length: folders }, (_, n) => `f${n}`)];
const folderRows = (): BackupRow[] => folderNames.map((path) => ({ path, created_at: 1, modified_at: 1, revision: 1 }));

const fileRows = (): BackupRow[] => [
  ...Array.from({ length: files }, (_, n) =>
    fileRow("big", `${n}.txt`, n % every === 0 ? "basalt" : `granite ${n}`, n),
  ),
  ...folderNames.slice(1).map((folder) => fileRow(folder, "a.txt", "granite", 1)),
];

const blob = "a".repeat(64);

const fileRow = (folder: string, name: string, title: string, at: number): BackupRow => ({
  folder,
  name,
  title,
  description: "",
  type: "text/plain",
  blob,
  size: 7,
  uploaded_at: at,
  width: null,
  height: null,
  is_color: null,
  meta: "{}",
  created_at: at,
  modified_at: at,
  revision: 1,
  uuid: crypto.randomUUID(),
  content_revision: 1,
  uploader: null,
  sent_name: null,
  given_name: null,
});
