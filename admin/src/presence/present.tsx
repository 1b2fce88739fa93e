import { language } from "../language/language.ts";
import "./presence.css";
import { Users } from "lucide-react";
import { say } from "../language/say.ts";

const listed = new Intl.ListFormat(language, { type: "conjunction" });

/** Who else has the entry open: one line, which moves nothing. */
export function Present({ names }: { names: readonly string[] }) {
  const text = names.length === 0 ? "" : say("Also here: {names}", { names: listed.format(names) });
  return (
    <span className="present" role="status" title={text}>
      {text !== "" && <Users size={13} aria-hidden />}
      <span>{text}</span>
    </span>
  );
}
