/** Why a field is invalid, and the text that was typed. */
export type Fault = { reason: string; text: string };

/** Reports the invalid fields of an entry to its editor. */
export type Faults = {
  report(name: string, fault: Fault | undefined): void;
  /** The invalid text that was typed into a field before the page was reloaded. */
  typedBefore(name: string): string | undefined;
};
