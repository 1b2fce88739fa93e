import {
  ActionIcon,
  AppShell,
  Box,
  Burger,
  Group,
  Menu,
  Text,
  Tooltip,
  UnstyledButton,
  useMantineColorScheme,
} from "@mantine/core";
import { useDisclosure, useMediaQuery } from "@mantine/hooks";
import { CircleUser, LogOut, Monitor, Moon, PanelLeftClose, PanelLeftOpen, Search, Sun, UserRound } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { signOut } from "./api/session.ts";
import { UploadQuestions, UploadTray } from "./file/upload-tray.tsx";
import { Finder, openFinder } from "./finder.tsx";
import { say } from "./language/say.ts";
import markUrl from "./mark.svg";
import { MainMenu } from "./menu.tsx";
import { dropAll, keptBy } from "./model/draft/kept.ts";
import { formatMoment } from "./model/format.ts";
import { resourcesText } from "./model/resource.ts";
import { type MenuPage, type MenuPages, pagesOf } from "./pages.tsx";
import { OwnerOffer } from "./person/owner-offer.tsx";
import { ReleaseChoice } from "./release/release-choice.tsx";
import { usePreference } from "./session/preference.ts";
import { useSession } from "./session-context.ts";
import { DeletionQuestion } from "./trash/question.tsx";
import { Boundary } from "./ui/boundary.tsx";
import { focusContent } from "./ui/content.ts";
import { Confirm } from "./ui/dialog.tsx";
import { LanguageItems } from "./ui/language-choice.tsx";
import { addressOf, go, Link, leaveApp, type PageAddress, usePlace } from "./ui/location.tsx";
import { Empty, Loading, notifyFailure } from "./ui/state.tsx";

const Workbench = lazy(async () => ({ default: (await import("./image/workbench.tsx")).Workbench }));
const ProfilePage = lazy(async () => ({ default: (await import("./person/profile-page.tsx")).ProfilePage }));

/** The navigation and the page in the URL. */
export function Shell({ onSignedOut }: { onSignedOut(): void }) {
  const place = usePlace();
  const session = useSession();
  const [isOpen, nav] = useDisclosure(false);
  const [isFolded, fold] = usePreference("menu-folded", false);
  const isWide = useMediaQuery("(min-width: 62em)", undefined, { getInitialValueInEffect: false });
  const isStrip = isFolded && isWide;
  const menu = pagesOf(session);
  const pages = [...menu.content, ...menu.management];
  const first = pages[0]?.page;
  useEffect(() => {
    if (place.page === "" && first) go(addressOf(first), "replace");
  }, [place.page, first]);

  return (
    <AppShell
      header={{ height: { base: 52, md: 0 } }}
      navbar={{ width: isStrip ? 56 : 192, breakpoint: "md", collapsed: { mobile: !isOpen } }}
    >
      <button type="button" className="skip-link" onClick={focusContent}>
        {say("Skip to content")}
      </button>
      <AppShell.Header className="top-bar" hiddenFrom="md">
        <Burger
          opened={isOpen}
          onClick={nav.toggle}
          size="sm"
          aria-label={isOpen ? say("Close navigation") : say("Open navigation")}
        />
        <Brand />
        <ReleaseChoice />
        <ActionIcon size="lg" onClick={openFinder} aria-label={say("Find anything")}>
          <Search size={18} />
        </ActionIcon>
      </AppShell.Header>
      <AppShell.Navbar className="side-bar" aria-label={say("Main")} data-strip={isStrip || undefined}>
        <SideBar {...{ menu, isStrip, fold, onSignedOut }} page={place.page} onFollow={nav.close} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        {(isStrip || !isWide) && <UploadTray />}
        <Boundary of={place}>
          {place.page === first && place.path === "" && <OwnerOffer />}
          <Suspense fallback={<PageLoading />}>
            <Shown place={place} pages={pages} />
          </Suspense>
        </Boundary>
      </AppShell.Main>
      <Finder pages={pages} />
      <DeletionQuestion />
      <UploadQuestions />
    </AppShell>
  );
}

type SideBarProps = {
  menu: MenuPages;
  page: string;
  /** Only icons are shown, with their names in tooltips. */
  isStrip: boolean;
  fold(isFolded: boolean): void;
  onFollow(): void;
  onSignedOut(): void;
};

function SideBar({ menu, page, isStrip, fold, onFollow, onSignedOut }: SideBarProps) {
  const label = isStrip ? say("Show the menu") : say("Fold the menu");
  return (
    <>
      <Group visibleFrom="md" className="side-head">
        <Brand />
        <Tooltip label={label} position="right">
          <ActionIcon size={30} onClick={() => fold(!isStrip)} aria-label={label}>
            {isStrip ? <PanelLeftOpen size={16} /> : <PanelLeftClose size={16} />}
          </ActionIcon>
        </Tooltip>
      </Group>
      <Tooltip label={say("Find anything")} position="right" disabled={!isStrip}>
        <UnstyledButton className="find-button" onClick={openFinder} visibleFrom="md">
          <Search size={15} aria-hidden />
          <span>{say("Find anything")}</span>
          <kbd>{say("Ctrl K")}</kbd>
        </UnstyledButton>
      </Tooltip>
      <Box visibleFrom="md" className="side-release">
        <ReleaseChoice />
      </Box>
      <AppShell.Section grow px="xs" className="side-menu">
        <MainMenu pages={menu} page={page} isStrip={isStrip} onFollow={onFollow} />
      </AppShell.Section>
      {!isStrip && (
        <Box visibleFrom="md">
          <UploadTray />
        </Box>
      )}
      <Footer onSignedOut={onSignedOut} />
    </>
  );
}

const PageLoading = () => (
  <div className="page">
    <Loading />
  </div>
);

function Shown({ place, pages }: { place: PageAddress; pages: readonly MenuPage[] }) {
  if (place.page === "") return null;
  if (place.page === "images" && pages.some(({ page }) => page === "files")) return <Workbench path={place.path} />;
  if (place.page === "profile") return <ProfilePage />;
  const found = pages.find(({ page }) => page === place.page);
  if (found) return found.show(place);
  return (
    <Empty icon={Search} title={say("Page not found")} isPage>
      {say("Or you have no access to it.")}
    </Empty>
  );
}

const Brand = () => (
  <Link href={addressOf("")} className="brand" aria-label={say("Octavo, start page")}>
    <img src={markUrl} alt="" width={26} height={26} />
    <span>{say("Octavo")}</span>
  </Link>
);

function Footer({ onSignedOut }: { onSignedOut(): void }) {
  const { token, person, expires_at: endsAt } = useSession();
  const name = token.label || person?.email || say("Management token");
  const [unsaved, setUnsaved] = useState<readonly string[]>([]);
  const leave = async (): Promise<void> => {
    await signOut();
    dropAll(token.id);
    onSignedOut();
  };
  const ask = (): void => {
    // Those of entries that are not open.
    const kept = [...new Set(keptBy(token.id).map(({ slug }) => slug))];
    if (kept.length > 0) setUnsaved(kept);
    else void leave().catch(notifyFailure);
  };
  return (
    <Group className="side-foot" wrap="nowrap" gap={4}>
      <Menu position="top-start" width={220}>
        <Menu.Target>
          <UnstyledButton className="who" aria-label={say("{name}, account", { name })}>
            <CircleUser size={18} strokeWidth={1.6} aria-hidden />
            <Text size="sm" truncate>
              {name}
            </Text>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{say("Signed in until {time}", { time: formatMoment(endsAt) })}</Menu.Label>
          <Menu.Label>
            {token.writes === "none" ? say("Sees") : say("May manage")} {resourcesText(token.resources)}
          </Menu.Label>
          {token.paths && <Menu.Label>{say("At and below {paths}", { paths: token.paths.join(", ") })}</Menu.Label>}
          {token.writes === "staged" && <Menu.Label>{say("Creates drafts and changes working copies")}</Menu.Label>}
          {token.locales && <Menu.Label>{say("In {locales}", { locales: token.locales.join(", ") })}</Menu.Label>}
          {token.writes === "none" && <Menu.Label>{say("Reads only")}</Menu.Label>}
          <Menu.Divider />
          {person ? <ProfileItem /> : <LanguageItems />}
          <Menu.Item leftSection={<LogOut size={15} />} onClick={() => leaveApp(ask)}>
            {say("Sign out")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <SchemeButton />
      {unsaved.length > 0 && (
        <Confirm
          title={say("Sign out without saving?")}
          submit={say("Discard changes and sign out")}
          onSubmit={leave}
          onClose={() => setUnsaved([])}
        >
          {say("This browser has your unsaved changes of {unsaved}.", { unsaved: unsaved.join(", ") })}
        </Confirm>
      )}
    </Group>
  );
}

const ProfileItem = () => (
  <Menu.Item leftSection={<UserRound size={15} />} component={Link} href={addressOf("profile")}>
    {say("Profile")}
  </Menu.Item>
);

const schemes = { auto: ["light", Monitor], light: ["dark", Sun], dark: ["auto", Moon] } as const;

const schemeLabels = {
  auto: say("Colours: as in the system"),
  light: say("Colours: light"),
  dark: say("Colours: dark"),
};

function SchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [next, Icon] = schemes[colorScheme];
  const label = schemeLabels[colorScheme];
  return (
    <Tooltip label={label}>
      <ActionIcon size="lg" onClick={() => setColorScheme(next)} aria-label={label}>
        <Icon size={17} strokeWidth={1.8} />
      </ActionIcon>
    </Tooltip>
  );
}
