import { Checkbox, Group, NumberInput, SegmentedControl, Select, SimpleGrid, Text, TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useState } from "react";
import type { Token, TokenWithSecret } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { resourcesOf, type TokenKind } from "../api/token.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { refresh } from "../ui/query.ts";

type TokenDialogProps = { token?: Token; onMade?(token: TokenWithSecret): void; onClose(): void };

const meanings: Record<TokenKind, string> = {
  delivery: "Reads public content: for websites and apps.",
  management: "Reads everything; writes together with an access token.",
  images: "Reads images, transformed in any way.",
  access: "Lets a management token write. Useless alone.",
};
const lives = { "": "Never", "30": "In 30 days", "90": "In 90 days", "365": "In a year" };

/** Creates a token, or edits the editable properties of one. */
export function TokenDialog({ token, onMade, onClose }: TokenDialogProps) {
  const [kind, setKind] = useState<TokenKind>(token?.kind ?? "delivery");
  const [resources, setResources] = useState<string[]>(["entries"]);
  const [label, setLabel] = useState(token?.label ?? "");
  const [environment, setEnvironment] = useState(token?.environment ?? "");
  const [limit, setLimit] = useState<string | number>(token?.limit_calls || "");
  const [life, setLife] = useState<string | null>(token ? null : "");
  const isNarrow = useMediaQuery("(max-width: 36em)", undefined, { getInitialValueInEffect: false });
  const offered = resourcesOf(kind);
  const chosen = offered.filter((resource) => resources.includes(resource));
  const save = async (): Promise<void> => {
    const change = {
      label,
      environment,
      limit_calls: Number(limit) || 0,
      ...(life === null ? {} : { expires_at: expiryOf(life) }),
    };
    if (token) await octavo.tokens.update(token.id, change);
    else
      onMade?.(await octavo.tokens.create({ kind, ...(offered.length > 0 ? { resources: chosen } : {}), ...change }));
    await refresh("tokens");
  };
  return (
    <FormDialog
      title={token ? "Edit the token" : "New token"}
      submit={token ? "Save" : "Create"}
      size="lg"
      onSubmit={save}
      onClose={onClose}
      isDisabled={!token && offered.length > 0 && chosen.length === 0}
    >
      {!token && (
        <>
          <div>
            <SegmentedControl
              fullWidth
              orientation={isNarrow ? "vertical" : "horizontal"}
              aria-label="Kind"
              data={Object.keys(meanings)}
              value={kind}
              onChange={(value) => setKind(value as TokenKind)}
            />
            <Text size="xs" c="dimmed" mt={6}>
              {meanings[kind]}
            </Text>
          </div>
          {offered.length > 0 && (
            <Checkbox.Group label="Resources" value={chosen} onChange={setResources}>
              <Group mt={6} gap="md">
                {offered.map((resource) => (
                  <Checkbox key={resource} value={resource} label={resource} />
                ))}
              </Group>
            </Checkbox.Group>
          )}
        </>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <TextInput
          label="Label"
          placeholder="Website"
          value={label}
          onChange={(event) => setLabel(event.currentTarget.value)}
          data-autofocus
        />
        <TextInput
          label="Environment"
          placeholder="production"
          value={environment}
          onChange={(event) => setEnvironment(event.currentTarget.value)}
        />
        <NumberInput
          label="Call limit"
          placeholder="No limit"
          min={0}
          allowDecimal={false}
          thousandSeparator=" "
          value={limit}
          onChange={setLimit}
        />
        <Select
          label="Expires"
          data={Object.entries(lives).map(([value, name]) => ({ value, label: name }))}
          value={life}
          placeholder="Unchanged"
          onChange={setLife}
          allowDeselect={false}
        />
      </SimpleGrid>
    </FormDialog>
  );
}

const expiryOf = (days: string): number | null =>
  days === "" ? null : Math.floor(Date.now() / 1000) + Number(days) * 86_400;
