import { useEffect, useRef } from "react";

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("input, textarea, [contenteditable], [role=dialog]") !== null;

/**
 * Takes files that are pasted on the page, such as a picture that was copied or a screenshot: not where somebody writes, nor in a
 * dialog above the page.
 */
export function usePaste(onFiles: ((files: globalThis.File[]) => void) | undefined): void {
  const current = useRef(onFiles);
  current.current = onFiles;
  useEffect(() => {
    const paste = (event: ClipboardEvent): void => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length === 0 || isWriting(event.target) || !current.current) return;
      event.preventDefault();
      current.current(files);
    };
    addEventListener("paste", paste);
    return () => removeEventListener("paste", paste);
  }, []);
}
