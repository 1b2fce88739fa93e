import { Button, Input } from "@mantine/core";
import { Plus, X } from "lucide-react";
import { type ReactNode, useContext, useMemo } from "react";
import { FaultContext } from "../field/fault.ts";
import { JsonField } from "../field/field.tsx";
import { say } from "../language/say.ts";
import type { Faults } from "../model/draft/fault.ts";
import { initialOf } from "../model/form/value.ts";
import type { ControlProps } from "./context.ts";
import { useLabel } from "./label.ts";
import { useRemoval } from "./removal.ts";

/** Keeps apart the faults of fields with one name. */
function FaultsOf({ pointer, children }: { pointer: string; children: ReactNode }) {
  const { report, typedBefore } = useContext(FaultContext);
  const own = useMemo<Faults>(
    () => ({
      report: (name, fault) => report(`${pointer} ${name}`, fault),
      typedBefore: (name) => typedBefore(`${pointer} ${name}`),
    }),
    [report, typedBefore, pointer],
  );
  return <FaultContext value={own}>{children}</FaultContext>;
}

/** A value as JSON: one that no other control shows, or an odd one that its control would lose. */
export function JsonControl(props: ControlProps & { isOdd: boolean }) {
  const { shape, label, pointer, value, isRequired, isOdd, edit } = props;
  const { id, error, description } = useLabel(props);
  const remove = useRemoval(props);
  const hint = isOdd ? say("The type expects another kind of value. It is kept until you change it.") : undefined;
  return (
    <Input.Wrapper
      id={id}
      label={label}
      labelElement={value === undefined ? "div" : "label"}
      withAsterisk={isRequired}
      description={[description, hint].filter(Boolean).join(" ") || undefined}
      error={error}
    >
      {value === undefined ? (
        <div>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<Plus size={13} />}
            aria-label={say("Add {label}", { label })}
            onClick={() => edit(() => initialOf(shape))}
          >
            {say("Add")}
          </Button>
        </div>
      ) : (
        <FaultsOf pointer={pointer}>
          <JsonField id={id} name={label} value={value} onChange={(changed) => edit(() => changed)} />
          {!isRequired && (
            <Button
              size="compact-xs"
              variant="subtle"
              color="gray"
              mt={4}
              leftSection={<X size={13} />}
              aria-label={say("Remove {label}", { label })}
              onClick={remove}
            >
              {say("Remove")}
            </Button>
          )}
        </FaultsOf>
      )}
    </Input.Wrapper>
  );
}
