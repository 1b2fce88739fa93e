import { say } from "../language/say.ts";
import type { DraftEdit } from "../model/draft/editing.ts";
import { formatMoment } from "../model/format.ts";
import { Fact } from "../ui/fact.tsx";
import { Advanced } from "./advanced.tsx";

/** What the service keeps beside the content of the entry. */
export function Publishing({ editing }: { editing: DraftEdit }) {
  const { draft, base } = editing;
  return (
    <aside className="publishing" aria-label={say("About this entry")}>
      <dl className="panel facts">
        <Fact name={say("Id")} value={base.slug} isCopyable />
        <Fact name={say("Publish date")} value={formatMoment(Number(draft.published_at))} />
        <Fact name={say("Created")} value={formatMoment(base.created_at)} />
        <Fact name={say("Changed")} value={formatMoment(base.modified_at)} />
      </dl>
      <Advanced editing={editing} />
    </aside>
  );
}
