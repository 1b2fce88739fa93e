import { ancestorsOf, nameOf } from "../api/path.ts";
import { Link } from "./location.tsx";

type CrumbsProps = {
  label: string;
  /** What lies above all paths. */
  root: string;
  path: string;
  addressOf(path: string): string;
};

/** Where something lives: each step above it is a link. */
export function Crumbs({ label, root, path, addressOf }: CrumbsProps) {
  return (
    <nav aria-label={label} className="crumbs">
      <Link href={addressOf("")}>{root}</Link>
      {ancestorsOf(path).map((above) => (
        <Link key={above} href={addressOf(above)}>
          {nameOf(above)}
        </Link>
      ))}
      <span aria-current="page">{nameOf(path)}</span>
    </nav>
  );
}
