import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { OutdatedKey } from "../../../client/src/client.ts";
import type { Json } from "../api/json.ts";
import { outdatedOf } from "../api/staged.ts";
import { say } from "../language/say.ts";
import type { Settled } from "../model/draft/publications.ts";
import type { Shape } from "../model/form/schema.ts";
import { useEntryShape } from "../query/entry-shape.ts";
import { Dialog, FormDialog } from "../ui/dialog.tsx";
import { Failure, Loading } from "../ui/state.tsx";
import { inForm, ThreeTexts } from "./three-texts.tsx";

type SettleProps = {
  entry: { slug: string; fieldset?: Json | undefined };
  /** Of a translation; undefined for the source. */
  locale: string | undefined;
  /** What the button says that takes the choices. */
  submit: string;
  /** Publishes by these choices, or keeps them. Absent: nothing can be chosen, only read. */
  onSubmit?: ((settled: Settled[]) => Promise<unknown>) | undefined;
  onClose(): void;
};

const title = say("Changed on the site meanwhile");

/** The outdated keys of a working copy in three texts, and the question which one is published. */
export function Settle({ entry, locale, submit, onSubmit, onClose }: SettleProps) {
  const { slug } = entry;
  const shape = useEntryShape(entry);
  const { data, error, refetch } = useQuery({
    queryKey: ["entry", slug, "outdated", locale],
    queryFn: () => outdatedOf(slug, locale),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const [choices, setChoices] = useState<ReadonlyMap<string, Settled["choice"]>>(new Map());
  const texts = data?.map((text) => (
    <Texts
      key={text.key}
      text={text}
      shape={shape}
      choice={onSubmit && (choices.get(text.key) ?? "mine")}
      onChoose={(choice) => setChoices(new Map([...choices, [text.key, choice]]))}
    />
  ));
  const body = error ? (
    <Failure error={error} title={say("The texts cannot be read")} onRetry={() => void refetch()} />
  ) : texts ? (
    <Stack gap="lg">
      <Text size="sm">
        {data?.length === 0
          ? say("Your changes are based on what is on the site now.")
          : say(
              "After these changes were begun, the entry was corrected on the site. Publishing yours puts that back.",
            )}
      </Text>
      {texts}
    </Stack>
  ) : (
    <Loading rows={3} />
  );
  if (!onSubmit)
    return (
      <Dialog title={title} size={760} onClose={onClose}>
        {body}
      </Dialog>
    );
  const settled = (data ?? []).map(({ key, staged }) => ({
    ...{ key, choice: choices.get(key) ?? "mine", mine: staged as Json | undefined },
  }));
  return (
    <FormDialog
      title={title}
      submit={submit}
      size="760"
      isDisabled={!data}
      onSubmit={async () => void (await onSubmit(settled))}
      onClose={onClose}
    >
      {body}
    </FormDialog>
  );
}

type TextsProps = {
  text: OutdatedKey;
  /** Of the entry. */
  shape: Shape | undefined;
  choice: Settled["choice"] | undefined;
  onChoose(choice: Settled["choice"]): void;
};

const options = { mine: say("Publish yours"), live: say("Keep the site's") };

function Texts({ text: { key, revision, base, live, staged }, shape, choice, onChoose }: TextsProps) {
  const [name, show] = inForm(key, shape);
  return (
    <ThreeTexts
      name={name}
      texts={{
        "As it was": revision === null ? say("Not kept any more") : show(base),
        "On the site now": show(live),
        Yours: show(staged),
      }}
      question={choice && { label: say("Publish for {name}", { name }), options, choice, onChoose }}
    />
  );
}
