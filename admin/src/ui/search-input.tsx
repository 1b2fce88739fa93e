import { TextInput, type TextInputProps } from "@mantine/core";
import { Search } from "lucide-react";

type SearchInputProps = Omit<TextInputProps, "label" | "onChange"> & { label: string; onChange(text: string): void };

/** A search field. */
export function SearchInput({ label, onChange, ...rest }: SearchInputProps) {
  return (
    <TextInput
      aria-label={label}
      leftSection={<Search size={15} />}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...rest}
    />
  );
}
