import "./picker.css";
import { Anchor } from "@mantine/core";
import { ancestorsOf, nameOf } from "../api/path.ts";

type PickerCrumbsProps = { label: string; root: string; path: string; onOpen(path: string): void };

/** Where a picker is in its tree: a button for each level above. */
export function PickerCrumbs({ label, root, path, onOpen }: PickerCrumbsProps) {
  const above = path === "" ? [] : ["", ...ancestorsOf(path)];
  return (
    <nav aria-label={label} className="picker-crumbs">
      {above.map((place) => (
        <Anchor key={place} component="button" type="button" size="xs" onClick={() => onOpen(place)}>
          {place === "" ? root : nameOf(place)}
        </Anchor>
      ))}
      <span aria-current="page">{path === "" ? root : nameOf(path)}</span>
    </nav>
  );
}
