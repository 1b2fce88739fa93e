import { SegmentedControl, type SegmentedControlProps } from "@mantine/core";
import type { ReactNode } from "react";

type SegmentsProps<K extends string> = Omit<SegmentedControlProps, "data" | "value" | "onChange" | "aria-label"> & {
  label: string;
  options: Partial<Record<NoInfer<K>, ReactNode>>;
  value: K;
  onChange(value: NoInfer<K>): void;
};

/** One of a few options, side by side. */
export function Segments<K extends string>({ label, options, onChange, ...rest }: SegmentsProps<K>) {
  const data = Object.entries(options).map(([value, shown]) => ({ value, label: shown as ReactNode }));
  return (
    <SegmentedControl size="xs" aria-label={label} data={data} onChange={onChange as (v: string) => void} {...rest} />
  );
}
