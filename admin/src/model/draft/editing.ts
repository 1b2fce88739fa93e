import type { Entry } from "../../api/entry.ts";
import type { OpenedEntry, Translated, WorkingCopy } from "../../api/staged.ts";
import type { Draft } from "./draft.ts";
import type { Faults } from "./fault.ts";
import type { Kept } from "./kept.ts";
import type { Publications } from "./publications.ts";

/** What the editor of an entry knows and does, in parts: each view takes the parts that it needs. */

/** What was read or written last. */
export type StoredState = {
  base: Entry;
  /** Names the saved state. */
  tag: string;
  /** The working copy that is laid over the entry, if there is one. */
  copy: WorkingCopy | undefined;
  /** Of what the entry says in another locale than the source's: what is beside that. */
  translation: Translated | undefined;
  /** Shows the state that a restore wrote; unsaved changes stay, and the next save detects it. */
  take(state: OpenedEntry): void;
};

/** What forms show and change. */
export type DraftEdit = {
  base: Entry;
  draft: Draft;
  edit(change: (draft: Draft) => Draft): void;
  /** Discards the changes made here. */
  discard(): void;
};

/** Whether what is typed is saved, and what keeps it from that. */
export type SaveState = {
  /** There are unsaved changes; an unreadable field always counts as unsaved. */
  isDirty: boolean;
  /** Why it cannot be saved: the first invalid field on the page. */
  fault: string | undefined;
  isSaving: boolean;
  error: unknown;
  /** Saves the changes where no reader sees them: a draft as it is, otherwise in the working copy. Never publishes. */
  save(): Promise<void>;
};

/** What this browser keeps of what is not saved. */
export type LocalCopy = {
  /** The unsaved changes that were found in this browser and are laid over the entry, until they are saved or discarded. */
  found: Kept | undefined;
  /** The browser cannot keep the unsaved changes: with the page they would be lost. */
  isUnkept: boolean;
  faults: Faults;
  /** Forgets the changes made here, before the editor is left. */
  forget(): void;
};

/** What other sessions write meanwhile. */
export type ConcurrentChange = {
  /** The state that another session saved meanwhile. */
  theirs: OpenedEntry | undefined;
  /** Saves the changes made here on top of what another session saved, as a save does. */
  /** What is given up of it stays theirs. */
  saveOnTop(given?: readonly string[]): Promise<void>;
  closeConflict(): void;
  /** Shows what another session saved; unsaved changes stay on top, or the conflict is shown. */
  follow(newer: OpenedEntry): void;
  /** Shows the conflict with what another session saved. */
  overtake(newer: OpenedEntry): void;
  /** What was saved last, or is saved next, is for the working copy and not for readers. */
  isStaged: boolean;
  /** Creates the entry again with this draft, after another session deleted it; hidden from readers if it was staged. */
  createAgain(): Promise<void>;
};

/** All of it; named by the editor alone. */
export type Editing = StoredState & DraftEdit & SaveState & LocalCopy & ConcurrentChange & Publications;
