import {
  ActionIcon,
  AppShell,
  Burger,
  Group,
  Menu,
  NavLink,
  Text,
  Tooltip,
  UnstyledButton,
  useMantineColorScheme,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import {
  Activity,
  BookOpenText,
  CircleUser,
  FilePen,
  History,
  House,
  Images,
  KeyRound,
  LogOut,
  type LucideIcon,
  Monitor,
  MonitorSmartphone,
  Moon,
  Search,
  Shapes,
  SlidersHorizontal,
  Sun,
  Trash2,
  UserRound,
  Users,
} from "lucide-react";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { may, signOut, writesLive } from "./api/session.ts";
import type { Resource } from "./api/token.ts";
import { EntriesPage } from "./entry/entries-page.tsx";
import { drop, keptSlugs } from "./entry/kept.ts";
import { UploadTray } from "./file/upload-tray.tsx";
import { Finder, openFinder } from "./finder.tsx";
import markUrl from "./mark.svg";
import { useSession } from "./session-context.ts";
import { DeletionQuestion } from "./trash/question.tsx";
import { Boundary } from "./ui/boundary.tsx";
import { focusContent } from "./ui/content.ts";
import { Confirm } from "./ui/dialog.tsx";
import { formatMoment } from "./ui/format.ts";
import { addressOf, go, Link, leaveApp, type Place, usePlace } from "./ui/location.tsx";
import { Empty, Loading, notifyFailure } from "./ui/state.tsx";

const FilesPage = lazy(async () => ({ default: (await import("./file/files-page.tsx")).FilesPage }));
const Workbench = lazy(async () => ({ default: (await import("./image/workbench.tsx")).Workbench }));
const RegistryPage = lazy(async () => ({ default: (await import("./registry/registry-page.tsx")).RegistryPage }));
const TypesPage = lazy(async () => ({ default: (await import("./type/types-page.tsx")).TypesPage }));
const WorkPage = lazy(async () => ({ default: (await import("./work/work-page.tsx")).WorkPage }));
const HomePage = lazy(async () => ({ default: (await import("./work/home-page.tsx")).HomePage }));
const TrashPage = lazy(async () => ({ default: (await import("./trash/trash-page.tsx")).TrashPage }));
const TokensPage = lazy(async () => ({ default: (await import("./token/tokens-page.tsx")).TokensPage }));
const SessionsPage = lazy(async () => ({ default: (await import("./session/sessions-page.tsx")).SessionsPage }));
const PeoplePage = lazy(async () => ({ default: (await import("./person/people-page.tsx")).PeoplePage }));
const ProfilePage = lazy(async () => ({ default: (await import("./person/profile-page.tsx")).ProfilePage }));
const EventsPage = lazy(async () => ({ default: (await import("./event/events-page.tsx")).EventsPage }));
const HealthPage = lazy(async () => ({ default: (await import("./health/health-page.tsx")).HealthPage }));

type Section = {
  page: string;
  label: string;
  icon: LucideIcon;
  /** The token needs one of these. */
  resources: readonly Resource[];
  /** The token's writes are live: a token whose writes are staged can change nothing there. */
  isLive?: true;
  show(place: Place): ReactNode;
};

const sections: Section[] = [
  { page: "home", label: "Home", icon: House, resources: ["entries"], show: () => <HomePage /> },
  {
    page: "entries",
    label: "Entries",
    icon: BookOpenText,
    resources: ["entries"],
    show: (place) => <EntriesPage place={place} />,
  },
  {
    page: "files",
    label: "Media",
    icon: Images,
    resources: ["files"],
    show: (place) => <FilesPage folder={place.path} search={place.search} />,
  },
  {
    page: "registry",
    label: "Registry",
    icon: SlidersHorizontal,
    resources: ["registry"],
    show: () => <RegistryPage />,
  },
  { page: "types", label: "Types", icon: Shapes, resources: ["entries"], show: (place) => <TypesPage place={place} /> },
  { page: "work", label: "Work", icon: FilePen, resources: ["entries"], show: (place) => <WorkPage place={place} /> },
  {
    page: "trash",
    label: "Trash",
    icon: Trash2,
    resources: ["entries", "files", "folders"],
    isLive: true,
    show: () => <TrashPage />,
  },
  { page: "people", label: "People", icon: Users, resources: ["admin"], isLive: true, show: () => <PeoplePage /> },
  { page: "tokens", label: "Tokens", icon: KeyRound, resources: ["admin"], isLive: true, show: () => <TokensPage /> },
  {
    page: "sessions",
    label: "Sessions",
    icon: MonitorSmartphone,
    resources: ["admin"],
    isLive: true,
    show: () => <SessionsPage />,
  },
  { page: "events", label: "Events", icon: History, resources: ["admin"], show: () => <EventsPage /> },
  { page: "health", label: "Health", icon: Activity, resources: ["admin"], show: () => <HealthPage /> },
];

/** The navigation item of a page. */
const sectionOf = (page: string): string => (page === "images" ? "files" : page);

/** The navigation and the page in the URL. */
export function Shell({ onSignedOut }: { onSignedOut(): void }) {
  const place = usePlace();
  const session = useSession();
  const [isOpen, nav] = useDisclosure(false);
  const mine = sections.filter(
    ({ resources, isLive }) => resources.some((resource) => may(session, resource)) && (!isLive || writesLive(session)),
  );
  const first = mine[0]?.page;
  useEffect(() => {
    if (place.page === "" && first) go(addressOf(first), "replace");
  }, [place.page, first]);

  return (
    <AppShell
      header={{ height: { base: 52, md: 0 } }}
      navbar={{ width: 192, breakpoint: "md", collapsed: { mobile: !isOpen } }}
    >
      <button type="button" className="skip-link" onClick={focusContent}>
        Skip to content
      </button>
      <AppShell.Header className="top-bar" hiddenFrom="md">
        <Burger
          opened={isOpen}
          onClick={nav.toggle}
          size="sm"
          aria-label={isOpen ? "Close navigation" : "Open navigation"}
        />
        <Brand />
        <ActionIcon size="lg" onClick={openFinder} aria-label="Find anything">
          <Search size={18} />
        </ActionIcon>
      </AppShell.Header>
      <AppShell.Navbar className="side-bar" aria-label="Main">
        <Group visibleFrom="md" px="sm" h={52}>
          <Brand />
        </Group>
        <UnstyledButton className="find-button" onClick={openFinder} visibleFrom="md">
          <Search size={15} aria-hidden />
          <span>Find anything</span>
          <kbd>Ctrl K</kbd>
        </UnstyledButton>
        <AppShell.Section grow px="xs">
          {mine.map(({ page, label, icon: Icon }) => (
            <NavLink
              key={page}
              component={Link}
              href={addressOf(page)}
              label={label}
              leftSection={<Icon size={17} strokeWidth={1.8} />}
              active={sectionOf(place.page) === page}
              aria-current={sectionOf(place.page) === page ? "page" : undefined}
              onClick={nav.close}
            />
          ))}
        </AppShell.Section>
        <Footer onSignedOut={onSignedOut} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <Boundary of={place}>
          <Suspense fallback={<PageLoading />}>
            <Shown place={place} mine={mine} />
          </Suspense>
        </Boundary>
      </AppShell.Main>
      <Finder sections={mine} />
      <UploadTray />
      <DeletionQuestion />
    </AppShell>
  );
}

const PageLoading = () => (
  <div className="page">
    <Loading />
  </div>
);

function Shown({ place, mine }: { place: Place; mine: Section[] }) {
  if (place.page === "") return null;
  if (place.page === "images" && mine.some(({ page }) => page === "files")) return <Workbench path={place.path} />;
  if (place.page === "profile") return <ProfilePage />;
  const section = mine.find(({ page }) => page === place.page);
  if (section) return section.show(place);
  return (
    <Empty icon={Search} title="Page not found" isPage>
      Or you have no access to it.
    </Empty>
  );
}

const Brand = () => (
  <Link href={addressOf("")} className="brand" aria-label="Octavo, start page">
    <img src={markUrl} alt="" width={26} height={26} />
    <span>Octavo</span>
  </Link>
);

function Footer({ onSignedOut }: { onSignedOut(): void }) {
  const { token, person, expires_at: endsAt } = useSession();
  const name = token.label || person?.email || "Management token";
  const [unsaved, setUnsaved] = useState<readonly string[]>([]);
  const leave = async (): Promise<void> => {
    await signOut();
    for (const slug of keptSlugs()) drop(slug);
    onSignedOut();
  };
  const ask = (): void => {
    // Those of entries that are not open.
    const kept = keptSlugs();
    if (kept.length > 0) setUnsaved(kept);
    else void leave().catch(notifyFailure);
  };
  return (
    <Group className="side-foot" wrap="nowrap" gap={4}>
      <Menu position="top-start" width={220}>
        <Menu.Target>
          <UnstyledButton className="who" aria-label={`${name}, account`}>
            <CircleUser size={18} strokeWidth={1.6} aria-hidden />
            <Text size="sm" truncate>
              {name}
            </Text>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Signed in until {formatMoment(endsAt)}</Menu.Label>
          <Menu.Label>
            {token.writes === "none" ? "Sees" : "May manage"} {token.resources.join(", ")}
          </Menu.Label>
          {token.paths && <Menu.Label>At and below {token.paths.join(", ")}</Menu.Label>}
          {token.writes === "staged" && <Menu.Label>Creates drafts and changes working copies</Menu.Label>}
          {token.writes === "none" && <Menu.Label>Reads only</Menu.Label>}
          <Menu.Divider />
          {person && (
            <Menu.Item leftSection={<UserRound size={15} />} component={Link} href={addressOf("profile")}>
              Profile
            </Menu.Item>
          )}
          <Menu.Item leftSection={<LogOut size={15} />} onClick={() => leaveApp(ask)}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <SchemeButton />
      {unsaved.length > 0 && (
        <Confirm
          title="Sign out without saving?"
          submit="Discard changes and sign out"
          onSubmit={leave}
          onClose={() => setUnsaved([])}
        >
          This tab has unsaved changes of {unsaved.join(", ")}.
        </Confirm>
      )}
    </Group>
  );
}

const schemes = { auto: ["light", Monitor], light: ["dark", Sun], dark: ["auto", Moon] } as const;

function SchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [next, Icon] = schemes[colorScheme];
  const label = `Colours: ${colorScheme === "auto" ? "as in the system" : colorScheme}`;
  return (
    <Tooltip label={label}>
      <ActionIcon size="lg" onClick={() => setColorScheme(next)} aria-label={label}>
        <Icon size={17} strokeWidth={1.8} />
      </ActionIcon>
    </Tooltip>
  );
}
