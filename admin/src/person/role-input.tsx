import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { octavo } from "../api/octavo.ts";
import { say } from "../language/say.ts";
import { meaningOf } from "../model/role-words.ts";

/** The choice of a role. */
export function RoleInput({ value, onChange }: { value: string; onChange(role: string): void }) {
  const { data = [] } = useQuery({ queryKey: ["roles"], queryFn: () => octavo.roles.list() });
  const role = data.find(({ id }) => id === value);
  return (
    <Select
      label={say("Role")}
      description={role && meaningOf(role)}
      data={data.map(({ id, title }) => ({ value: id, label: title || id }))}
      value={value}
      onChange={(chosen) => onChange(chosen ?? value)}
      allowDeselect={false}
    />
  );
}
