import { TagsInput, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Webhook, WebhookWithSecret } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { say } from "../language/say.ts";
import { knownKinds, partsOf } from "../model/event-kind.ts";
import { PathsInput } from "../picker/paths-input.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { refresh } from "../ui/query.ts";

type WebhookDialogProps = { webhook?: Webhook; onMade?(webhook: WebhookWithSecret): void; onClose(): void };

/** All of a noun, then each kind. */
const offered = [...new Set(knownKinds.map((kind) => `${partsOf(kind).noun}.*`)), ...knownKinds];

const pathsHelp = say(
  "It is told of entries and files at and below these paths only; none for all. Type a path and press Enter.",
);

/** Makes a webhook, or changes what one is sent. */
export function WebhookDialog({ webhook, onMade, onClose }: WebhookDialogProps) {
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [label, setLabel] = useState(webhook?.label ?? "");
  const [kinds, setKinds] = useState<string[]>(webhook?.kinds ?? []);
  const [paths, setPaths] = useState<string[]>(webhook?.paths ?? []);
  const save = async (): Promise<void> => {
    const change = {
      ...{ url: url.trim(), label: label.trim() },
      kinds: kinds.length > 0 ? kinds : null,
      paths: paths.length > 0 ? paths : null,
    };
    if (webhook) await octavo.webhooks.update(webhook.id, change);
    else onMade?.(await octavo.webhooks.create(change));
    await refresh("webhooks");
  };
  return (
    <FormDialog
      title={webhook ? say("Edit the webhook") : say("New webhook")}
      submit={webhook ? say("Save") : say("Create")}
      size="lg"
      onSubmit={save}
      onClose={onClose}
      isDisabled={url.trim() === ""}
    >
      <TextInput
        label={say("Address")}
        description={say("An https address of the public internet.")}
        placeholder="https://example.org/hooks/octavo"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        required
        type="url"
        spellCheck={false}
        data-autofocus
      />
      <TextInput
        label={say("Label")}
        placeholder={say("Rebuild the site")}
        value={label}
        onChange={(event) => setLabel(event.currentTarget.value)}
      />
      <TagsInput
        label={say("Events")}
        description={say("Only these kinds, such as entry.update, or entry.* for all about entries; none for all.")}
        placeholder={kinds.length === 0 ? say("All") : undefined}
        data={offered}
        value={kinds}
        onChange={setKinds}
        acceptValueOnBlur
        spellCheck={false}
        className="mono-input"
      />
      <PathsInput value={paths} onChange={setPaths} description={pathsHelp} />
    </FormDialog>
  );
}
