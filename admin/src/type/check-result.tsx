import { Anchor, Stack, Text } from "@mantine/core";
import { CircleCheck } from "lucide-react";
import type { TypeCheck } from "../../../client/src/client.ts";
import { faultText } from "../model/form/faults.ts";
import { formatCount, plural } from "../model/format.ts";
import { useEntryShape } from "../query/entry-shape.ts";
import { EntryTitle } from "../query/reference.tsx";
import { addressOf } from "../ui/location.tsx";

type CheckResultProps = { result: TypeCheck /** The type as it is stored. */; isStored?: boolean };

/** How many entries a type would refuse, and the first hundred of them with their faults. */
export function CheckResult({ result, isStored = false }: CheckResultProps) {
  return (
    <Stack gap="xs">
      <Found result={result} isStored={isStored} />
      {result.has_more && (
        <Text size="sm" role="note">
          The time of the check was over at <bdi className="mono">{result.last}</bdi>: entries behind it were not looked
          at.
        </Text>
      )}
    </Stack>
  );
}

function Found({
  result: { checked, failing, first, has_more: hasMore = false },
  isStored,
}: Required<CheckResultProps>) {
  const would = isStored ? "does" : "would";
  const found = `${plural(checked, "entry", "entries")}${hasMore ? " that were looked at" : ""}`;
  if (failing === 0 && hasMore) return <Text size="sm">No fault in {found}.</Text>;
  if (failing === 0)
    return (
      <Text size="sm" role="status" className="check-fine">
        <CircleCheck size={16} aria-hidden />
        {checked === 0 ? "No entry is of this type." : `All ${plural(checked, "entry", "entries")} of this type fit.`}
      </Text>
    );
  return (
    <Stack gap="xs">
      <Text size="sm" role="status">
        <b>
          {formatCount(failing)} of {found}
        </b>{" "}
        {failing === 1 || isStored ? would : "would"} not fit.
        {failing > first.length && ` The first ${first.length}:`}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls. */}
      <ul className="check-list" aria-label="Entries with faults" tabIndex={0}>
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
