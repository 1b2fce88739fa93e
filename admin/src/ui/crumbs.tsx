import { ancestorsOf, nameOf } from "../api/path.ts";
import { Link } from "./location.tsx";

type CrumbsProps = {
  label: string;
  /** The label of the root. */
  root: string;
  path: string;
  addressOf(path: string): string;
};

/** Breadcrumbs: a link for each ancestor of a path. */
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
