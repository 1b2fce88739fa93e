const seen = new WeakSet<HTMLInputElement>();

/** The ref of a field that has just been added: it takes the focus when it is drawn first. */
export function focusOnce(input: HTMLInputElement | null): void {
  if (!input || seen.has(input)) return;
  seen.add(input);
  input.focus();
  input.select();
}
