import type { DraftEdit } from "../model/draft/editing.ts";
import { formatMoment } from "../model/format.ts";
import { Fact } from "../ui/fact.tsx";
import { Advanced } from "./advanced.tsx";

/** What the service keeps beside the content of the entry. */
export function Publishing({ editing }: { editing: DraftEdit }) {
  const { draft, base } = editing;
  return (
    <aside className="publishing" aria-label="About this entry">
      <dl className="panel facts">
        <Fact name="Id" value={base.slug} isCopyable />
        <Fact name="Publish date" value={formatMoment(Number(draft.published_at))} />
        <Fact name="Created" value={formatMoment(base.created_at)} />
        <Fact name="Changed" value={formatMoment(base.modified_at)} />
      </dl>
      <Advanced editing={editing} />
    </aside>
  );
}
