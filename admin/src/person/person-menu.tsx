import { Menu } from "@mantine/core";
import { CirclePause, CirclePlay, Link2, MonitorSmartphone, Pencil } from "lucide-react";
import { useState } from "react";
import type { Person, PersonWithLink } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { say } from "../language/say.ts";
import { nameOf } from "../query/everyone.ts";
import { useSession } from "../session-context.ts";
import { Confirm } from "../ui/dialog.tsx";
import { refresh } from "../ui/query.ts";
import { RemovalItem, RowMenu } from "../ui/row-menu.tsx";
import { notifyFailure } from "../ui/state.tsx";
import { PersonDialog } from "./person-dialog.tsx";
import { PersonSessions } from "./person-sessions.tsx";

type Action = "edit" | "sessions" | "disable" | "delete";
type PersonMenuProps = { person: Person; onLink(person: PersonWithLink): void };

/** Actions on a person. Those that end sessions ask for confirmation. */
export function PersonMenu({ person, onLink }: PersonMenuProps) {
  const [action, setAction] = useState<Action>();
  const name = nameOf(person);
  const close = (): void => setAction(undefined);
  const setState = async (state: "active" | "disabled"): Promise<void> => {
    await octavo.people.update(person.id, { state });
    await refresh("people");
  };
  const link = async (): Promise<void> => onLink(await octavo.people.reset(person.id));
  const remove = async (): Promise<void> => {
    await octavo.people.delete(person.id);
    await refresh("people");
  };
  const isSelf = useSession().person?.id === person.id;
  const goodbye = isSelf && ` ${say("It is you: you are signed out.")}`;
  const enable = (): void => void setState("active").catch(notifyFailure);
  return (
    <>
      <Items
        {...{ person, name, isSelf, enable }}
        onAction={setAction}
        onLink={() => void link().catch(notifyFailure)}
      />
      {action === "edit" && <PersonDialog person={person} onClose={close} />}
      {action === "sessions" && <PersonSessions person={person} onClose={close} />}
      {action === "disable" && (
        <Confirm
          title={say("Disable {name}?", { name })}
          submit={say("Disable")}
          onSubmit={() => setState("disabled")}
          onClose={close}
        >
          {say("The sessions end, and the person cannot sign in until enabled again.")}
          {goodbye}
        </Confirm>
      )}
      {action === "delete" && (
        <Confirm title={say("Delete {name}?", { name })} submit={say("Delete")} onSubmit={remove} onClose={close}>
          {say("The sessions end. The name stays in the log. This cannot be undone.")}
          {goodbye}
        </Confirm>
      )}
    </>
  );
}

type ItemsProps = {
  person: Person;
  name: string;
  /** Changes the own password on the profile. */
  isSelf: boolean;
  enable(): void;
  onLink(): void;
  onAction(action: Action): void;
};

const Items = ({ person, name, isSelf, enable, onLink, onAction }: ItemsProps) => (
  <RowMenu name={name}>
    <Menu.Item leftSection={<Pencil size={15} />} onClick={() => onAction("edit")}>
      {say("Edit")}
    </Menu.Item>
    {person.state === "active" && (
      <Menu.Item leftSection={<MonitorSmartphone size={15} />} onClick={() => onAction("sessions")}>
        {say("Sessions")}
      </Menu.Item>
    )}
    {person.state !== "disabled" && !isSelf && (
      <Menu.Item leftSection={<Link2 size={15} />} onClick={onLink}>
        {person.state === "invited" ? say("New link") : say("New link for a password")}
      </Menu.Item>
    )}
    {person.state === "disabled" ? (
      <Menu.Item leftSection={<CirclePlay size={15} />} onClick={enable}>
        {say("Enable")}
      </Menu.Item>
    ) : (
      <Menu.Item leftSection={<CirclePause size={15} />} onClick={() => onAction("disable")}>
        {say("Disable")}
      </Menu.Item>
    )}
    <RemovalItem onClick={() => onAction("delete")} />
  </RowMenu>
);
