import { useMemo } from "react";
import { say } from "../language/say.ts";
import { useMay } from "../session-context.ts";
import { attachFiles } from "../text/attach-files.ts";
import { MarkdownEditor } from "../text/markdown-editor.tsx";

type ContentEditorProps = { slug: string; label?: string; value: string; onChange(text: string): void };

/** The text of an entry. Dropped and pasted files are uploaded to the folder with the entry's path. */
export function ContentEditor({ slug, label = say("Content"), value, onChange }: ContentEditorProps) {
  const mayUpload = useMay("files");
  const extension = useMemo(() => (mayUpload ? attachFiles(slug) : []), [mayUpload, slug]);
  return <MarkdownEditor label={label} value={value} onChange={onChange} home={slug} extension={extension} />;
}
