import {
  Activity,
  BookOpenText,
  FilePen,
  History,
  House,
  Images,
  KeyRound,
  Languages,
  Layers,
  type LucideIcon,
  MonitorSmartphone,
  Shapes,
  SlidersHorizontal,
  Trash2,
  UserCog,
  Users,
  Webhook,
} from "lucide-react";
import { lazy, type ReactNode } from "react";
import { may, type Session, writesLive } from "./api/session.ts";
import type { Resource } from "./api/token.ts";
import { EntriesPage } from "./entry/entries-page.tsx";
import { say } from "./language/say.ts";
import type { PageAddress } from "./ui/location.tsx";

const FilesPage = lazy(async () => ({ default: (await import("./file/files-page.tsx")).FilesPage }));
const RegistryPage = lazy(async () => ({ default: (await import("./registry/registry-page.tsx")).RegistryPage }));
const TypesPage = lazy(async () => ({ default: (await import("./type/types-page.tsx")).TypesPage }));
const WorkPage = lazy(async () => ({ default: (await import("./work/work-page.tsx")).WorkPage }));
const HomePage = lazy(async () => ({ default: (await import("./work/home-page.tsx")).HomePage }));
const TranslationsPage = lazy(async () => ({
  default: (await import("./translation/translations-page.tsx")).TranslationsPage,
}));
const ReleasesPage = lazy(async () => ({ default: (await import("./release/releases-page.tsx")).ReleasesPage }));
const TrashPage = lazy(async () => ({ default: (await import("./trash/trash-page.tsx")).TrashPage }));
const TokensPage = lazy(async () => ({ default: (await import("./token/tokens-page.tsx")).TokensPage }));
const SessionsPage = lazy(async () => ({ default: (await import("./session/sessions-page.tsx")).SessionsPage }));
const PeoplePage = lazy(async () => ({ default: (await import("./person/people-page.tsx")).PeoplePage }));
const RolesPage = lazy(async () => ({ default: (await import("./role/roles-page.tsx")).RolesPage }));
const EventsPage = lazy(async () => ({ default: (await import("./event/events-page.tsx")).EventsPage }));
const WebhooksPage = lazy(async () => ({ default: (await import("./webhook/webhooks-page.tsx")).WebhooksPage }));
const HealthPage = lazy(async () => ({ default: (await import("./health/health-page.tsx")).HealthPage }));

/** A page of the menu. */
export type MenuPage = {
  /** The first segment of its URL. */
  page: string;
  label: string;
  icon: LucideIcon;
  /** Whoever sees it has one of these. */
  resources: readonly Resource[];
  /** What it is for is live: nobody whose writes are staged, or who only reads, can do anything there. */
  isLive?: true;
  /** It is there where the service has several languages. */
  isOfLanguages?: true;
  show(place: PageAddress): ReactNode;
};

/** What editors work with. */
const contentPages: readonly MenuPage[] = [
  { page: "home", label: say("Home"), icon: House, resources: ["entries"], show: () => <HomePage /> },
  {
    page: "entries",
    label: say("Entries"),
    icon: BookOpenText,
    resources: ["entries"],
    show: (place) => <EntriesPage place={place} />,
  },
  {
    page: "files",
    label: say("Media"),
    icon: Images,
    resources: ["files"],
    show: (place) => <FilesPage folder={place.path} search={place.search} />,
  },
  {
    page: "work",
    label: say("Work"),
    icon: FilePen,
    resources: ["entries"],
    show: (place) => <WorkPage place={place} />,
  },
  {
    page: "translations",
    label: say("Translations"),
    icon: Languages,
    resources: ["entries"],
    isOfLanguages: true,
    show: (place) => <TranslationsPage place={place} />,
  },
  {
    page: "releases",
    label: say("Releases"),
    icon: Layers,
    resources: ["entries"],
    show: (place) => <ReleasesPage place={place} />,
  },
  {
    page: "trash",
    label: say("Trash"),
    icon: Trash2,
    resources: ["entries", "files", "folders"],
    isLive: true,
    show: () => <TrashPage />,
  },
];

/** How the content is modelled, who works with it, and how the service does. */
const managementPages: readonly MenuPage[] = [
  {
    page: "types",
    label: say("Types"),
    icon: Shapes,
    resources: ["entries"],
    show: (place) => <TypesPage place={place} />,
  },
  {
    page: "registry",
    label: say("Registry"),
    icon: SlidersHorizontal,
    resources: ["registry"],
    show: () => <RegistryPage />,
  },
  { page: "people", label: say("People"), icon: Users, resources: ["admin"], isLive: true, show: () => <PeoplePage /> },
  { page: "roles", label: say("Roles"), icon: UserCog, resources: ["admin"], isLive: true, show: () => <RolesPage /> },
  {
    page: "tokens",
    label: say("Tokens"),
    icon: KeyRound,
    resources: ["admin"],
    isLive: true,
    show: (place) => <TokensPage place={place} />,
  },
  {
    page: "sessions",
    label: say("Sessions"),
    icon: MonitorSmartphone,
    resources: ["admin"],
    isLive: true,
    show: () => <SessionsPage />,
  },
  { page: "events", label: say("Events"), icon: History, resources: ["admin"], show: () => <EventsPage /> },
  {
    page: "webhooks",
    label: say("Webhooks"),
    icon: Webhook,
    resources: ["admin"],
    isLive: true,
    show: () => <WebhooksPage />,
  },
  { page: "health", label: say("Health"), icon: Activity, resources: ["admin"], show: () => <HealthPage /> },
];

export type MenuPages = { content: readonly MenuPage[]; management: readonly MenuPage[] };

/** The pages that the session may use. */
export function pagesOf(session: Session): MenuPages {
  const hasLanguages = (session.locales ?? []).length > 1;
  const isMine = ({ resources, isLive, isOfLanguages }: MenuPage): boolean =>
    resources.some((resource) => may(session, resource)) &&
    (!isLive || writesLive(session)) &&
    (!isOfLanguages || hasLanguages);
  return { content: contentPages.filter(isMine), management: managementPages.filter(isMine) };
}
