import { NavLink, Tooltip, UnstyledButton } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { ChevronRight } from "lucide-react";
import { say } from "./language/say.ts";
import type { MenuPage, MenuPages } from "./pages.tsx";
import { useMay } from "./session-context.ts";
import { addressOf, Link } from "./ui/location.tsx";

type MainMenuProps = {
  pages: MenuPages;
  page: string;
  /** Only icons are shown; the names stay for screen readers, and in tooltips. */
  isStrip: boolean;
  onFollow(): void;
};

/** The page of the menu that a page belongs to. */
const menuPageOf = (page: string): string => (page === "images" ? "files" : page);

/**
 * The pages in two groups. Management folds, which this browser remembers; whoever does not manage finds it folded. The
 * present page is always there.
 */
export function MainMenu({ pages: { content, management }, page, isStrip, onFollow }: MainMenuProps) {
  const [isUnfolded, setUnfolded] = useLocalStorage({
    key: "octavo-menu-management",
    defaultValue: useMay("admin"),
    getInitialValueInEffect: false,
  });
  const folds = content.length > 0 && management.length > 0;
  const present = menuPageOf(page);
  const shown = isUnfolded || !folds ? management : management.filter((item) => item.page === present);
  const itemOf = (item: MenuPage) => (
    <MenuItem key={item.page} item={item} isPresent={item.page === present} isStrip={isStrip} onFollow={onFollow} />
  );
  return (
    <>
      {content.map(itemOf)}
      {folds && (
        <Tooltip label={say("Management")} position="right" disabled={!isStrip}>
          <UnstyledButton
            className="menu-fold"
            aria-expanded={isUnfolded}
            aria-controls="menu-management"
            onClick={() => setUnfolded(!isUnfolded)}
          >
            <span>{say("Management")}</span>
            <ChevronRight size={14} aria-hidden />
          </UnstyledButton>
        </Tooltip>
      )}
      <div id="menu-management">{shown.map(itemOf)}</div>
    </>
  );
}

type MenuItemProps = { item: MenuPage; isPresent: boolean; isStrip: boolean; onFollow(): void };

const MenuItem = ({ item: { page, label, icon: Icon }, isPresent, isStrip, onFollow }: MenuItemProps) => (
  <Tooltip label={label} position="right" disabled={!isStrip}>
    <NavLink
      component={Link}
      href={addressOf(page)}
      label={label}
      leftSection={<Icon size={17} strokeWidth={1.8} />}
      active={isPresent}
      aria-current={isPresent ? "page" : undefined}
      onClick={onFollow}
    />
  </Tooltip>
);
