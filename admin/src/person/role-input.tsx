import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Role } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";

/** What the people of a role may do, in words. */
function meaningOf({ id, resources, paths, writes }: Role): string {
  if (id === "owner") return "Does everything, and manages people and tokens";
  const where = paths ? ` at and below ${paths.join(", ")}` : "";
  const verb = { none: "Reads", staged: "Drafts and proposes changes of", all: "Changes" }[writes];
  return `${verb} ${resources.join(", ")}${where}`;
}

/** The choice of a role. */
export function RoleInput({ value, onChange }: { value: string; onChange(role: string): void }) {
  const { data = [] } = useQuery({ queryKey: ["roles"], queryFn: () => octavo.roles.list() });
  const role = data.find(({ id }) => id === value);
  return (
    <Select
      label="Role"
      description={role && meaningOf(role)}
      data={data.map(({ id, title }) => ({ value: id, label: title || id }))}
      value={value}
      onChange={(chosen) => onChange(chosen ?? value)}
      allowDeselect={false}
    />
  );
}
