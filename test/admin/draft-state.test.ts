import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../../admin/src/api/entry.ts";
import type { JsonObject } from "../../admin/src/api/json.ts";
import type { OpenedEntry, WorkingCopy } from "../../admin/src/api/staged.ts";
import {
  changedMeanwhile,
  type DraftEvent,
  type DraftState,
  faultOf,
  isAwaited,
  isDirty,
  openDraft,
  reduceDraft,
  unsavedOf,
} from "../../admin/src/model/draft/draft-state.ts";
import type { Kept } from "../../admin/src/model/draft/kept.ts";

/** The draft of an entry: what each event makes of it. */

const read = (data: JsonObject, tag = "1", copy?: WorkingCopy): OpenedEntry => ({
  entry: { slug: "a", modified_at: Number(tag), ...data } as unknown as Entry,
  tag,
  copy,
});
const edit = (part: JsonObject): DraftEvent => ({ type: "edited", change: (draft) => ({ ...draft, ...part }) });
const fault = { reason: "not a number", text: "1x" };
const invalid: DraftEvent = { type: "reported", name: "year", fault };
const valid: DraftEvent = { type: "reported", name: "year", fault: undefined };
const after = (state: DraftState, ...events: DraftEvent[]): DraftState => events.reduce(reduceDraft, state);
const kept = (base: OpenedEntry, set: JsonObject, typed: Kept["typed"] = []): Kept => ({
  ...{ at: 5, base, change: { set, removed: [] }, typed },
});

const first = read({ title: "A", year: 1 });
const opened = openDraft(first, undefined);

test("a draft is unsaved while it differs from what was read", () => {
  assert.ok(!isDirty(opened));
  const edited = after(opened, edit({ title: "B" }));
  assert.ok(isDirty(edited));
  assert.deepEqual(unsavedOf(edited), { set: { title: "B" }, removed: [] });
  assert.ok(!isDirty(after(edited, edit({ title: "A" }))));
});

test("an invalid field makes it unsaved until it is valid, and the first one says why", () => {
  const other: DraftEvent = { type: "reported", name: "size", fault: { reason: "too long", text: "" } };
  const both = after(opened, invalid, other);
  assert.equal(faultOf(both), "not a number");
  assert.equal(faultOf(after(both, valid)), "too long");
  assert.ok(!isDirty(after(opened, invalid, valid)));
});

test("another state of the cache is taken once, and only while nothing is unsaved or being saved", () => {
  const second = read({ title: "A2", year: 1 }, "2");
  const taken = after(opened, { type: "reread", read: second });
  assert.deepEqual([taken.base, taken.draft.title], [second, "A2"]);
  assert.ok(!isAwaited(taken, second));
  for (const busy of [edit({ year: 2 }), invalid, { type: "started", isStaging: false } as const]) {
    const state = after(opened, busy);
    assert.ok(!isAwaited(state, second));
    assert.equal(after(state, { type: "reread", read: second }), state);
  }
});

test("what another session wrote is followed below what is unsaved; the same field, or one that is invalid, is asked about", () => {
  const followed: DraftEvent = { type: "followed", state: read({ title: "Theirs", year: 1 }, "2") };
  assert.deepEqual(after(opened, followed).draft.title, "Theirs");
  const both = after(opened, edit({ year: 2 }), followed);
  assert.deepEqual([both.base.tag, both.draft, both.theirs], ["2", { title: "Theirs", year: 2 }, undefined]);
  assert.deepEqual(unsavedOf(both), { set: { year: 2 }, removed: [] });
  for (const unsaved of [edit({ title: "Mine" }), invalid]) {
    const asked = after(opened, unsaved, followed);
    assert.deepEqual([asked.theirs?.tag, asked.base.tag], ["2", "1"]);
    assert.deepEqual(asked.draft, after(opened, unsaved).draft);
  }
});

test("an older state of the cache is looked at, and not taken", () => {
  const state = after(opened, { type: "adopted", state: read({ title: "New" }, "3") });
  const late = read({ title: "Late" }, "2");
  assert.ok(isAwaited(state, late));
  const seen = after(state, { type: "reread", read: late });
  assert.deepEqual([seen.draft.title, isAwaited(seen, late)], ["New", false]);
});

test("a save remembers where it went, and other writes do not change that", () => {
  const saving = after(opened, { type: "failed", error: "no" }, { type: "started", isStaging: true });
  assert.deepEqual([saving.isSaving, saving.isStaging, saving.error], [true, true, undefined]);
  const again = after(saving, { type: "ended" }, { type: "started", isStaging: undefined });
  assert.deepEqual([again.isSaving, again.isStaging], [true, true]);
});

test("after the first of two writes only the changes of the second are unsaved", () => {
  const edited = after(opened, edit({ title: "B", year: 2 }));
  const written = read({ title: "B", year: 1 }, "2");
  const state = after(edited, { type: "written", state: written, changes: unsavedOf(edited) });
  assert.deepEqual(unsavedOf(state), { set: { year: 2 }, removed: [] });
});

test("what is typed while a save is under way stays unsaved, also what was typed back", () => {
  const edited = after(opened, edit({ title: "B", year: 2 }));
  const changes = unsavedOf(edited);
  const stored = read({ title: "B", year: 2 }, "2");
  for (const parts of [[], [{ type: "written", state: stored, changes } as const]]) {
    const typed = after(edited, edit({ title: "BC", year: 1 }), ...parts, { type: "saved", state: stored, changes });
    assert.deepEqual(unsavedOf(typed), { set: { title: "BC", year: 1 }, removed: [] });
    assert.ok(!isDirty(after(edited, ...parts, { type: "saved", state: stored, changes })));
  }
});

test("a state that is adopted leaves nothing unsaved, no conflict and no error", () => {
  const found = openDraft(read({ title: "B" }, "2"), kept(first, { year: 3 }, [["size", "1x"]]));
  const state = after(found, { type: "failed", error: "no" }, { type: "adopted", state: first });
  assert.deepEqual({ ...state, seen: undefined }, { ...opened, seen: undefined });
});

test("a write that another session overtook is a conflict with unsaved changes, and news without", () => {
  const theirs = read({ title: "Theirs", year: 1 }, "2");
  const conflict = after(opened, edit({ year: 2 }), { type: "overtaken", state: theirs });
  assert.deepEqual([conflict.theirs, conflict.base, conflict.draft.year], [theirs, first, 2]);
  assert.equal(after(conflict, { type: "conflictClosed" }).theirs, undefined);
  const news = after(opened, { type: "overtaken", state: theirs });
  assert.deepEqual([news.theirs, news.base, news.error], [undefined, theirs, changedMeanwhile]);
});

test("an error goes with its session", () => {
  assert.equal(after(opened, { type: "failed", error: "no" }, { type: "sessionChanged" }).error, undefined);
});

test("kept changes are laid over the entry, with the texts of fields until these report", () => {
  const keeping = kept(first, { title: "B" }, [["year", "1x"]]);
  const state = openDraft(read({ title: "A", year: 1 }), keeping);
  assert.deepEqual([state.draft.title, state.found, state.theirs], ["B", keeping, undefined]);
  assert.equal(state.typed.get("year"), "1x");
  assert.equal(after(state, invalid).typed.size, 0);
});

test("kept changes that were saved meanwhile are forgotten, unless a text is not", () => {
  const saved = read({ title: "B", year: 1 }, "2");
  assert.equal(openDraft(saved, kept(first, { title: "B" })).found, undefined);
  assert.notEqual(openDraft(saved, kept(first, { title: "B" }, [["year", "1x"]])).found, undefined);
});

test("kept changes of a state that is no longer the present one are a conflict with it", () => {
  const scheduled: WorkingCopy = { outdated: [], publishAt: 9, release: undefined };
  for (const now of [read({ title: "C", year: 1 }, "2"), read({ title: "A", year: 1 }, "1", scheduled)]) {
    const state = openDraft(now, kept(first, { year: 2 }));
    assert.deepEqual([state.base, state.theirs, state.draft.year], [first, now, 2]);
  }
});
