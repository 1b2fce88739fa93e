import "./presence.css";
import { Users } from "lucide-react";

const listed = new Intl.ListFormat("en", { type: "conjunction" });

/** Who else has the entry open: one line, which moves nothing. */
export function Present({ names }: { names: readonly string[] }) {
  const text = names.length === 0 ? "" : `Also here: ${listed.format(names)}`;
  return (
    <span className="present" role="status" title={text}>
      {text !== "" && <Users size={13} aria-hidden />}
      <span>{text}</span>
    </span>
  );
}
