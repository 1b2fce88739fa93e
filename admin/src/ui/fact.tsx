import { say } from "../language/say.ts";
import { CopyIcon } from "./copy.tsx";

type FactProps = { name: string; value: string; isCopyable?: boolean };

/** A name and a value in a list of facts. */
export function Fact({ name, value, isCopyable = false }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={isCopyable ? "mono" : undefined}>
        <span>{value}</span>
        {isCopyable && <CopyIcon value={value} label={say("Copy the {name}", { name })} />}
      </dd>
    </div>
  );
}
