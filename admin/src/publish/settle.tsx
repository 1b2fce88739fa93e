import "./publish.css";
import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { OutdatedKey } from "../../../client/src/client.ts";
import { formatJson, type Json } from "../api/json.ts";
import { outdatedOf } from "../api/staged.ts";
import type { Settled } from "../model/draft/publications.ts";
import { fieldWords } from "../model/entry/field-words.ts";
import { Dialog, FormDialog } from "../ui/dialog.tsx";
import { Segments } from "../ui/segments.tsx";
import { Failure, Loading } from "../ui/state.tsx";

type SettleProps = {
  slug: string;
  /** Of a translation; undefined for the source. */
  locale: string | undefined;
  /** What the button says that takes the choices. */
  submit: string;
  /** Publishes by these choices, or keeps them. Absent: nothing can be chosen, only read. */
  onSubmit?: ((settled: Settled[]) => Promise<unknown>) | undefined;
  onClose(): void;
};

const title = "Changed on the site meanwhile";

/** The outdated keys of a working copy in three texts, and the question which one is published. */
export function Settle({ slug, locale, submit, onSubmit, onClose }: SettleProps) {
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
      choice={onSubmit && (choices.get(text.key) ?? "mine")}
      onChoose={(choice) => setChoices(new Map([...choices, [text.key, choice]]))}
    />
  ));
  const body = error ? (
    <Failure error={error} title="The texts cannot be read" onRetry={() => void refetch()} />
  ) : texts ? (
    <Stack gap="lg">
      <Text size="sm">
        {data?.length === 0
          ? "Your changes are based on what is on the site now."
          : "After these changes were begun, the entry was corrected on the site. Publishing yours puts that back."}
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
  choice: Settled["choice"] | undefined;
  onChoose(choice: Settled["choice"]): void;
};

function Texts({ text, choice, onChoose }: TextsProps) {
  const words = fieldWords[text.key];
  const name = words?.label ?? text.key;
  const show = (value: unknown): string => {
    if (value === undefined) return "Nothing";
    if (words?.show) return words.show(value as Json);
    return typeof value === "string" ? value : formatJson(value as Json, 1);
  };
  const base = text.revision === null ? "Not kept any more" : show(text.base);
  return (
    <section aria-label={name}>
      <h3 className="settle-name">{name}</h3>
      <dl className="settle-texts">
        <Value name="As it was" text={base} />
        <Value name="On the site now" text={show(text.live)} />
        <Value name="Yours" text={show(text.staged)} />
      </dl>
      {choice && (
        <Segments
          label={`Publish for ${name}`}
          options={{ mine: "Publish yours", live: "Keep the site's" }}
          value={choice}
          onChange={onChoose}
          fullWidth
        />
      )}
    </section>
  );
}

const Value = ({ name, text }: { name: string; text: string }) => (
  <div>
    <dt>{name}</dt>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by keyboard, too. */}
    <dd dir="auto" tabIndex={0}>
      {text}
    </dd>
  </div>
);
