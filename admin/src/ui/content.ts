/** Focuses the main content: the element marked as content, such as the one beside a tree, or the whole page. */
export function focusContent(): void {
  const content = document.getElementById("content");
  (content?.querySelector<HTMLElement>("[data-content]") ?? content)?.focus();
}
