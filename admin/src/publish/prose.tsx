import { useMemo } from "react";
import { renderMarkdown } from "../ui/markdown.ts";

/** Markdown as a reader sees it. */
export function Prose({ text }: { text: string }) {
  const html = useMemo(() => renderMarkdown(text), [text]);
  // biome-ignore lint/security/noDangerouslySetInnerHtml: renderMarkdown sanitises.
  return <div className="prose" dir="auto" dangerouslySetInnerHTML={{ __html: html }} />;
}
