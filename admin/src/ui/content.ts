/** Gives the focus to what the page is about: all of it, or what is marked in it, as what stands beside a tree. */
export function focusContent(): void {
  const content = document.getElementById("content");
  (content?.querySelector<HTMLElement>("[data-content]") ?? content)?.focus();
}
