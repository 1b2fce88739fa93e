import { Checkbox, Group, Input, NativeSelect, Radio, Stack } from "@mantine/core";
import { isSame, type Json } from "../api/json.ts";
import { say } from "../language/say.ts";
import { labelOf, type Option, type ShapeOf } from "../model/form/schema.ts";
import type { ControlProps } from "./context.ts";
import { useLabel } from "./label.ts";

const mostRadios = 5;
const unset = "unset";

/** Marks a stored value that the type does not list: it stays until another one is chosen. */
const strange = (value: Json): Option => ({
  value,
  label: say("{label} (not in the list)", { label: labelOf(value) }),
});

/** One of some values: as radio buttons when they are few. */
export function Choice(props: ControlProps<ShapeOf<"choice">>) {
  const { shape, value, isRequired, edit } = props;
  const { "aria-required": _ofInputs, ...labels } = useLabel(props);
  const isListed = value === undefined || shape.options.some((option) => isSame(option.value, value));
  const options = isListed ? shape.options : [...shape.options, strange(value)];
  const chosen = options.findIndex((option) => isSame(option.value, value));
  const choose = (key: string): void => edit(() => (key === unset ? undefined : options[Number(key)]?.value));
  const items = [
    ...(isRequired && value !== undefined ? [] : [{ value: unset, label: say("Not set") }]),
    ...options.map(({ label }, i) => ({ value: String(i), label })),
  ];
  const at = chosen < 0 ? unset : String(chosen);
  if (shape.options.length > mostRadios || props.isBare)
    return <NativeSelect {...labels} data={items} value={at} onChange={(event) => choose(event.currentTarget.value)} />;
  return (
    <Radio.Group {...labels} value={at} onChange={choose}>
      <Group gap="md" mt={6}>
        {items.map(({ value: key, label }) => (
          <Radio key={key} value={key} label={label} />
        ))}
      </Group>
    </Radio.Group>
  );
}

/** Several of some values. Those that the type does not list stay, and keep their places. */
export function Checks(props: ControlProps<ShapeOf<"checks">>) {
  const { shape, label, value, edit } = props;
  const { error, description, id } = useLabel(props);
  const list = Array.isArray(value) ? value : [];
  const isListed = (each: Json): boolean => shape.options.some((option) => isSame(option.value, each));
  const options = [...shape.options, ...list.filter((each) => !isListed(each)).map(strange)];
  const toggle = (each: Json, isOn: boolean): void =>
    edit((before) => {
      const all = Array.isArray(before) ? before : [];
      return isOn ? [...all, each] : all.filter((other) => !isSame(other, each));
    });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot have this layout.
    <div role="group" aria-labelledby={id}>
      <Input.Wrapper
        id={id}
        label={<span id={id}>{label}</span>}
        labelElement="div"
        description={description}
        error={error}
        withAsterisk={props.isRequired}
      >
        <Stack gap={8} mt={6}>
          {options.map((option, i) => (
            <Checkbox
              // biome-ignore lint/suspicious/noArrayIndexKey: options keep their places.
              key={i}
              label={option.label}
              checked={list.some((each) => isSame(each, option.value))}
              onChange={(event) => toggle(option.value, event.currentTarget.checked)}
            />
          ))}
        </Stack>
      </Input.Wrapper>
    </div>
  );
}
