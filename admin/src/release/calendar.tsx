import { formatting } from "../language/language.ts";
import "./calendar.css";
import { ActionIcon, Anchor, Badge, Button, Group, Text, Title } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { say } from "../language/say.ts";
import { addMonths, boundsOf, type Day, dateOf, dayAfterKey, dayOf, monthOf, weeksOf } from "../model/month.ts";
import { Link } from "../ui/location.tsx";
import { Failure, Loading } from "../ui/state.tsx";
import { type Coming, readComing } from "./coming.ts";

const monthName = new Intl.DateTimeFormat(formatting, { month: "long", year: "numeric" });
const dayName = new Intl.DateTimeFormat(formatting, { weekday: "long", day: "numeric", month: "long" });
const weekday = new Intl.DateTimeFormat(formatting, { weekday: "short" });
const clock = new Intl.DateTimeFormat(formatting, { timeStyle: "short" });

type ByDay = ReadonlyMap<Day, Coming[]>;

/** What goes live in a month: a grid with the chosen day below, on a phone a list. */
export function Calendar() {
  const [day, setDay] = useState(() => dayOf(new Date()));
  const isWide = useMediaQuery("(min-width: 48em)", undefined, { getInitialValueInEffect: false });
  const { from, to } = boundsOf(day);
  const { data, error, refetch } = useQuery({
    queryKey: ["release", "coming", from],
    queryFn: () => readComing(from, to),
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
  const days = [...(data?.keys() ?? [])].filter((each) => monthOf(each) === monthOf(day));
  if (error) return <Failure error={error} title={say("The calendar cannot be read")} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  return (
    <>
      <Months day={day} onChange={setDay} />
      {isWide ? (
        <>
          <Grid day={day} coming={data} onChange={setDay} />
          <OfDay day={day} coming={data.get(day) ?? []} />
        </>
      ) : days.length > 0 ? (
        days.map((each) => <OfDay key={each} day={each} coming={data.get(each) ?? []} />)
      ) : (
        <Text size="sm" c="dimmed">
          {say("Nothing goes live in this month.")}
        </Text>
      )}
    </>
  );
}

type DayProps = { day: Day; onChange(day: Day): void };

const Months = ({ day, onChange }: DayProps) => (
  <Group gap="xs" mb="sm">
    <ActionIcon
      variant="default"
      size={30}
      aria-label={say("Month before")}
      onClick={() => onChange(addMonths(day, -1))}
    >
      <ChevronLeft size={16} />
    </ActionIcon>
    <ActionIcon variant="default" size={30} aria-label={say("Next month")} onClick={() => onChange(addMonths(day, 1))}>
      <ChevronRight size={16} />
    </ActionIcon>
    <Title order={2} aria-live="polite">
      {monthName.format(dateOf(day))}
    </Title>
    <Button size="xs" variant="default" ms="auto" onClick={() => onChange(dayOf(new Date()))}>
      {say("Today")}
    </Button>
  </Group>
);

/** The days of a month. The arrow keys move between them, also into other months. */
function Grid({ day, coming, onChange }: DayProps & { coming: ByDay }) {
  const grid = useRef<HTMLTableElement>(null);
  const isMoved = useRef(false);
  useEffect(() => {
    if (isMoved.current) grid.current?.querySelector<HTMLElement>(`[data-day="${day}"]`)?.focus();
    isMoved.current = false;
  }, [day]);
  const follow = (event: KeyboardEvent): void => {
    const next = dayAfterKey(day, event.key);
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    isMoved.current = true;
    onChange(next);
  };
  const weeks = weeksOf(day);
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its days are walked through by keys.
    <table ref={grid} role="grid" className="panel calendar" aria-label={say("What goes live")}>
      <thead>
        <tr>
          {(weeks[1] ?? []).map(
            (each) =>
              each && (
                <th key={each} scope="col">
                  {weekday.format(dateOf(each))}
                </th>
              ),
          )}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week, i) => (
          // biome-ignore-start lint/suspicious/noArrayIndexKey: the weeks of a month stay.
          <tr key={i}>
            {week.map((each, at) =>
              each === undefined ? (
                <td key={at} />
              ) : (
                <Cell
                  key={each}
                  day={each}
                  isChosen={each === day}
                  coming={coming.get(each) ?? []}
                  onChange={onChange}
                  onKey={follow}
                />
              ),
            )}
          </tr>
          // biome-ignore-end lint/suspicious/noArrayIndexKey: the weeks of a month stay.
        ))}
      </tbody>
    </table>
  );
}

const mostShown = 3;

type CellProps = DayProps & { isChosen: boolean; coming: readonly Coming[]; onKey(event: KeyboardEvent): void };

function Cell({ day, isChosen, coming, onChange, onKey }: CellProps) {
  const more = coming.length - mostShown;
  return (
    <td
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: see the grid.
      role="gridcell"
      data-day={day}
      data-today={day === dayOf(new Date()) || undefined}
      aria-selected={isChosen}
      tabIndex={isChosen ? 0 : -1}
      onClick={() => onChange(day)}
      onKeyDown={onKey}
    >
      <span className="calendar-day">{Number(day.slice(8))}</span>
      {coming.slice(0, mostShown).map(({ key, title, href }) => (
        // By keyboard the list below has it.
        <Link key={key} href={href} tabIndex={-1} title={title}>
          {title}
        </Link>
      ))}
      {more > 0 && <span className="calendar-more">{say("{more} more", { more })}</span>}
    </td>
  );
}

function OfDay({ day, coming }: { day: Day; coming: readonly Coming[] }) {
  const name = dayName.format(dateOf(day));
  return (
    <section className="calendar-list" aria-label={name}>
      <h3>{name}</h3>
      {coming.length === 0 && (
        <Text size="sm" c="dimmed">
          {say("Nothing goes live.")}
        </Text>
      )}
      <ul className="plain-list">
        {coming.map(({ key, title, what, href, at }) => (
          <li key={key}>
            <span className="quiet">{clock.format(at * 1000)}</span>
            <Anchor component={Link} href={href} size="sm" fw={550} truncate>
              {title}
            </Anchor>
            <Badge color="gray">{what}</Badge>
          </li>
        ))}
      </ul>
    </section>
  );
}
