import "./preview.css";
import { Alert, Anchor, CloseButton, Group, Skeleton, Text } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useMemo, useState } from "react";
import type { JsonObject } from "../api/json.ts";
import { octavo } from "../api/octavo.ts";
import { makePreview } from "../api/preview.ts";
import { openedTitle } from "../api/staged.ts";
import { say } from "../language/say.ts";
import type { DraftEdit, SaveState, StoredState } from "../model/draft/editing.ts";
import { type FieldReading, type Piece, readingOf } from "../model/form/reading.ts";
import { formOf, shapeOf } from "../model/form/root.ts";
import { openedKey, unsavedNote, usePreviewed } from "../preview/preview.tsx";
import { useTypesRead } from "../query/use-types.ts";
import { useMay, useSession } from "../session-context.ts";
import { Boundary } from "../ui/boundary.tsx";
import { sayParts } from "../ui/say-parts.tsx";
import { Segments } from "../ui/segments.tsx";
import { Failure } from "../ui/state.tsx";

const Prose = lazy(async () => ({ default: (await import("../ui/prose.tsx")).Prose }));
const HtmlProse = lazy(async () => ({ default: (await import("../ui/prose.tsx")).HtmlProse }));

const widths = { phone: 375, tablet: 768, desktop: 1280 } as const;
type Width = keyof typeof widths;

/** Looks are repeated; a token is used again for half of its hour. */
const reusedMs = 30 * 60_000;

type PaneProps = { editing: StoredState & DraftEdit & SaveState; onClose(): void };

/** The entry, or what it says in another language, as its site shows it, beside the form, at the width of a phone, a tablet or a desk. */
export function PreviewPane({ editing, onClose }: PaneProps) {
  const { preview_url: template } = useSession();
  const [width, setWidth] = useState<Width>("phone");
  return (
    <section className="panel preview-pane" aria-label={say("Preview")}>
      <Group justify="space-between" wrap="nowrap" gap="xs" className="preview-head">
        <Segments
          label={say("Width of the preview")}
          options={{ phone: say("Phone"), tablet: say("Tablet"), desktop: say("Desktop") }}
          value={width}
          onChange={setWidth}
        />
        <CloseButton onClick={onClose} aria-label={say("Close the preview")} />
      </Group>
      {template === undefined ? (
        <Rendered editing={editing} width={widths[width]} />
      ) : (
        <OnSite editing={editing} template={template} width={widths[width]} />
      )}
    </section>
  );
}

/** As the site shows what is saved; shown again after each save. */
function OnSite({ editing: { base, translation, tag, isDirty }, template, width }: Shown & { template: string }) {
  const previewed = usePreviewed(base.slug, translation?.locale);
  const { data, error, refetch } = useQuery({
    queryKey: [...openedKey(base.slug), previewed.locale],
    queryFn: () => makePreview(previewed, template),
    staleTime: reusedMs,
    gcTime: reusedMs,
    retry: false,
  });
  if (error) return <Failure error={error} title={say("No preview was made")} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={320} />;
  return (
    <>
      <Group justify="space-between" gap="xs" px="sm">
        <Text size="xs" c="dimmed" role="status">
          {isDirty ? unsavedNote : say("As it is saved.")}
        </Text>
        <Anchor href={data.link} target="_blank" rel="noreferrer" size="xs">
          {say("Open in a new tab")}
        </Anchor>
      </Group>
      {translation && !template.includes("{locale}") && (
        <Text size="xs" c="dimmed" px="sm">
          {sayParts("Your site is not told the language: the setting {setting} has no {placeholder}.", {
            setting: <code>preview_url</code>,
            placeholder: <code>{"{locale}"}</code>,
          })}
        </Text>
      )}
      <Scaled width={width}>
        {(style) => (
          <iframe
            key={tag}
            className="preview-frame"
            title={say("{title} on the site", { title: openedTitle(base, translation) })}
            src={data.link}
            referrerPolicy="no-referrer"
            sandbox="allow-scripts allow-same-origin allow-forms"
            style={style}
          />
        )}
      </Scaled>
    </>
  );
}

/** What is read of the entry, as it is typed: all texts and blocks of its type, otherwise its content. */
function useReading({ base, translation, draft }: Shown["editing"]): FieldReading[] {
  const { types } = useTypesRead();
  const type = types?.typeOf(base.slug, base.fieldset);
  const shape = useMemo(() => type && shapeOf(type.id, types?.all ?? []), [type, types]);
  return useMemo(() => {
    const data: JsonObject = { ...translation?.source, ...draft };
    const { content = "" } = data;
    if (shape) return readingOf(formOf(shape, data), data);
    return [{ name: "content", label: say("Content"), pieces: [{ kind: "markdown", text: String(content) }] }];
  }, [shape, translation, draft]);
}

/** Without a site: how to tell the service of one, and the entry as it is typed. */
function Rendered({ editing, width }: Shown) {
  const { base, translation, draft } = editing;
  const reading = useReading(editing);
  return (
    <>
      <Alert color="blue" m="sm" title={say("This is not your site")}>
        {sayParts(
          "Whoever runs the service tells it where your site shows an entry that is not published, by the setting {setting}, such as {example}. Then the site is shown here.",
          {
            setting: <code>preview_url</code>,
            example: <code>{"https://example.org/preview?id={id}&token={token}"}</code>,
          },
        )}
      </Alert>
      <Scaled width={width}>
        {(style) => (
          <article className="preview-frame preview-text" style={{ ...style, height: "auto" }}>
            <h1 dir="auto">{openedTitle({ ...draft, slug: base.slug }, translation)}</h1>
            {reading.map(({ name, label, pieces }) => (
              <section key={name} aria-label={label} className="preview-field">
                {name !== "content" && <p className="preview-label">{label}</p>}
                {pieces.map((piece, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a piece is what stands at its place.
                  <Read key={i} piece={piece} />
                ))}
              </section>
            ))}
          </article>
        )}
      </Scaled>
    </>
  );
}

function Read({ piece: { kind, text } }: { piece: Piece }) {
  if (kind === "text")
    return (
      <p className="preview-plain" dir="auto">
        {text}
      </p>
    );
  if (kind === "picture") return <Picture key={text} path={text} />;
  return (
    <Boundary of={text}>
      <Suspense fallback={<Skeleton height={120} />}>
        {kind === "html" ? <HtmlProse text={text} /> : <Prose text={text} />}
      </Suspense>
    </Boundary>
  );
}

/** Its path, where the picture cannot be shown. */
function Picture({ path }: { path: string }) {
  const [isBroken, setBroken] = useState(false);
  const mayShow = useMay("files") && !path.includes("://");
  if (!mayShow || isBroken) return <p className="preview-plain">{path}</p>;
  const src = octavo.imageUrl(path, { w: 750, fit: "max", fm: "webp" });
  return <img src={src} alt="" className="preview-picture" onError={() => setBroken(true)} />;
}

type Shown = { editing: PaneProps["editing"]; width: number };
type Style = { width: number; height: string; transform: string };

/** Something of a fixed width, made smaller where there is less room. */
function Scaled({ width, children }: { width: number; children(style: Style): ReactNode }) {
  const { ref, width: room } = useElementSize();
  const scale = room === 0 ? 1 : Math.min(1, room / width);
  return (
    // biome-ignore-start lint/a11y: what scrolls is reached by the keyboard.
    <div ref={ref} className="preview-room" role="group" aria-label={say("What is shown")} tabIndex={0}>
      {children({ width, height: `${100 / scale}%`, transform: `scale(${scale})` })}
    </div>
    // biome-ignore-end lint/a11y: as above.
  );
}
