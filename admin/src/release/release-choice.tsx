import "./choice.css";
import { Menu, UnstyledButton } from "@mantine/core";
import { ChevronsUpDown, Layers } from "lucide-react";
import { say } from "../language/say.ts";
import { useReleases } from "../query/releases.ts";
import { addressOf, go } from "../ui/location.tsx";

const none = say("No release");

/** Chooses where what one saves goes; nothing while there is no open release. */
export function ReleaseChoice() {
  const { open, chosen, choose } = useReleases();
  if (open.length === 0) return null;
  const shown = chosen?.title ?? none;
  return (
    <Menu position="bottom-start" width={240}>
      <Menu.Target>
        <UnstyledButton
          className="release-choice"
          data-chosen={chosen && true}
          aria-label={say("Release: {shown}", { shown })}
          title={shown}
        >
          <Layers size={15} aria-hidden />
          <span>{shown}</span>
          <ChevronsUpDown size={13} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown className="release-choices">
        <Menu.Label>{say("What you save goes into")}</Menu.Label>
        <Menu.RadioGroup value={chosen?.id ?? ""} onChange={(id) => choose(id === "" ? undefined : id)}>
          <Menu.RadioItem value="" closeMenuOnClick>
            {none}
          </Menu.RadioItem>
          {open.map(({ id, title }) => (
            <Menu.RadioItem key={id} value={id} closeMenuOnClick>
              {title}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item onClick={() => go(addressOf("releases"))}>{say("All releases")}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
