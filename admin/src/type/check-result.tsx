import { Anchor, Stack, Text } from "@mantine/core";
import { CircleCheck } from "lucide-react";
import type { TypeCheck } from "../../../client/src/client.ts";
import { say, sayMany } from "../language/say.ts";
import { faultText } from "../model/form/faults.ts";
import { useEntryShape } from "../query/entry-shape.ts";
import { EntryTitle } from "../query/reference.tsx";
import { addressOf } from "../ui/location.tsx";
import { sayParts } from "../ui/say-parts.tsx";

type CheckResultProps = { result: TypeCheck /** The type as it is stored. */; isStored?: boolean };

/** How many entries a type would refuse, and the first hundred of them with their faults. */
export function CheckResult({ result, isStored = false }: CheckResultProps) {
  return (
    <Stack gap="xs">
      <Found result={result} isStored={isStored} />
      {result.has_more && (
        <Text size="sm" role="note">
          {sayParts("The time of the check was over at {last}: entries behind it were not looked at.", {
            last: <bdi className="mono">{result.last}</bdi>,
          })}
        </Text>
      )}
    </Stack>
  );
}

function Found({
  result: { checked, failing, first, has_more: hasMore = false },
  isStored,
}: Required<CheckResultProps>) {
  const found = hasMore
    ? sayMany(checked, "{count} entry that were looked at", "{count} entries that were looked at")
    : sayMany(checked, "{count} entry", "{count} entries");
  if (failing === 0 && hasMore) return <Text size="sm">{say("No fault in {found}.", { found })}</Text>;
  if (failing === 0)
    return (
      <Text size="sm" role="status" className="check-fine">
        <CircleCheck size={16} aria-hidden />
        {checked === 0
          ? say("No entry is of this type.")
          : sayMany(checked, "All {count} entry of this type fit.", "All {count} entries of this type fit.")}
      </Text>
    );
  const entries = <b>{say("{failing} of {found}", { failing, found })}</b>;
  return (
    <Stack gap="xs">
      <Text size="sm" role="status">
        {isStored
          ? failing === 1
            ? sayParts("{entries} does not fit.", { entries })
            : sayParts("{entries} do not fit.", { entries })
          : sayParts("{entries} would not fit.", { entries })}
        {failing > first.length && ` ${say("The first {count}:", { count: first.length })}`}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls. */}
      <ul className="check-list" aria-label={say("Entries with faults")} tabIndex={0}>
        {first.map(({ id, errors }) => (
          <FaultyEntry key={id} id={id} errors={errors} />
        ))}
      </ul>
    </Stack>
  );
}

/** An entry by its title, with its faults by the names of its form. */
function FaultyEntry({ id, errors }: TypeCheck["first"][number]) {
  const shape = useEntryShape({ slug: id });
  return (
    <li>
      <Anchor href={addressOf("entries", id)} target="_blank" underline="always" title={id}>
        <EntryTitle id={id} hasPicture={false} />
      </Anchor>
      <ul>
        {errors.map((fault) => (
          <li key={`${fault.pointer} ${fault.rule}`}>{faultText(shape, fault)}</li>
        ))}
      </ul>
    </li>
  );
}
