import { OctavoProblem } from "../../../client/src/client.ts";
import { say } from "../language/say.ts";
import { EntryLink } from "../reference/reference-list.tsx";
import { sayParts } from "../ui/say-parts.tsx";

type MoveRefusalProps = {
  error: unknown;
  /** The present id of an entry that the refusal names. */
  presentOf(id: string): string;
};

/** What to do about a move that was refused for the references to what moves. */
export function MoveRefusal({ error, presentOf }: MoveRefusalProps) {
  const problems = (error instanceof AggregateError ? error.errors : [error]).filter(
    (each): each is OctavoProblem => each instanceof OctavoProblem,
  );
  const ids = [...new Set(problems.flatMap(refusedEntry).map(presentOf))];
  if (ids.length > 0)
    return (
      <span>
        {sayParts(
          "With its references updated it is not accepted: {entries}. Change it first, or move without updating the references.",
          {
            entries: ids.map((id, at) => (
              <span key={id}>
                {at > 0 && ", "}
                <EntryLink id={id} c="inherit" />
              </span>
            )),
          },
        )}
      </span>
    );
  if (problems.some(({ code }) => code === "too_many_references"))
    return <span>{say("Move without updating the references, or in parts.")}</span>;
  return null;
}

/** The entry whose data was refused; the message shortens a long id, which is then not known. */
function refusedEntry({ code, detail }: OctavoProblem): string[] {
  const quoted = code === "data_invalid" && /^"data" of the entry ("(?:[^"\\]|\\.)*")/.exec(detail)?.[1];
  const id: string = quoted ? JSON.parse(quoted) : "";
  return id === "" || id.endsWith("…") ? [] : [id];
}
