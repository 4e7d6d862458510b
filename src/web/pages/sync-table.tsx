import type { Schemas } from '../api/schema.d.ts';
import { useMay } from '../shell/session.tsx';
import type { SyncOverview } from '../state/live.ts';
import { useNow } from '../state/now.tsx';
import { type PageContext, usePage } from '../state/page-context.tsx';
import { useAnswer } from '../state/queries.ts';
import { Link, pathTo, withFilters } from '../state/router.tsx';
import { classWord, wordOf } from '../texts/plural.ts';
import { Badge, HealthBadge } from '../ui/badges.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Dots, Empty, Section } from '../ui/frame.tsx';
import { Ago, At } from '../ui/time.tsx';

type DayCounts = Schemas['DayList']['syncs'][number]['days'][number];

/** Reads what each sync did in the last days. */
export function useDays(days: number, sync?: string) {
  const timezone = usePage().f.timeZone;
  return useAnswer('/api/overview/days', { days, sync, timezone }, { staleTime: 60_000 });
}

export function SyncTable({ syncs }: { readonly syncs: readonly SyncOverview[] }) {
  const { t } = usePage();
  const days = useDays(7).data?.syncs;
  const words = t.overview.syncs;
  return (
    <Section name="syncs" title={words.title}>
      <DataTable
        rows={syncs}
        empty={<Empty title={words.none} hint={words.noneHint} />}
        keyOf={({ name }) => name}
        columns={[
          {
            title: words.name,
            kind: 'head',
            cell: ({ name, connection }) => (
              <>
                <Link to={pathTo('syncs', name)}>{name}</Link>
                <small className="faint">{connection}</small>
              </>
            ),
          },
          { title: words.health, cell: ({ health }) => <HealthBadge health={health} /> },
          { title: t.runs.state, cell: (sync) => <ActivityCell sync={sync} /> },
          { title: t.overview.people.title, cell: (sync) => <PeopleSentence sync={sync} /> },
          { title: words.fresh, hint: words.freshTitle, cell: ({ freshAt }) => <Ago at={freshAt} /> },
          ...(days?.some((one) => isCharted(one.days)) === true
            ? [
                {
                  title: words.days,
                  cell: ({ name }: SyncOverview) => <DayBars days={days.find((one) => one.name === name)?.days} />,
                },
              ]
            : []),
          { title: words.next, cell: (sync) => <NextSlot sync={sync} /> },
        ]}
      />
    </Section>
  );
}

/** `520 people in HR → 517 accounts; 3 need someone; 2 leave today`, each with its page. */
function PeopleSentence({ sync: { name, people, leavers } }: { readonly sync: SyncOverview }) {
  const { t } = usePage();
  const maySee = useMay('people', name);
  const words = t.overview.people;
  if (people === null) return <span className="faint">{words.notRead}</span>;
  const { dueToday, late } = leavers ?? { dueToday: 0, late: 0 };
  const parts = [
    [people.blocked, words.blocked, pathTo('syncs', name, 'data-quality')],
    [dueToday, words.leaveToday, withFilters('/leavers', { sync: name, due: 'today' })],
    [late, words.late, withFilters('/leavers', { sync: name, late: 'true' })],
  ] as const;
  const link = (to: string, text: string) => (maySee ? <Link to={to}>{text}</Link> : text);
  return (
    <span>
      {link(withFilters('/people', { sync: name }), words.source(people.source))} →{' '}
      {link(pathTo('syncs', name, 'accounts'), words.accounts(people.matched))}
      {parts.map(([count, text, to]) =>
        count === 0 ? null : (
          <span key={to} className={text === words.leaveToday ? undefined : 'needs'}>
            ; {link(to, text(count))}
          </span>
        ),
      )}
    </span>
  );
}

/** In the order of a person's time in the company; in a bar, from its top. */
const events = [
  ...(['joiner', 'returner', 'mover', 'leaver'] as const),
  ...(['update', 'leader', 'firstWrite', 'upkeep', 'undone'] as const),
] as const;

/** Told also when there were none. */
const alwaysTold: readonly string[] = ['joiner', 'mover', 'leaver'];

function sumOf<T>(list: readonly T[], numberOf: (one: T) => number): number {
  return list.reduce((sum, one) => sum + numberOf(one), 0);
}

type Totals = Omit<DayCounts, 'day'>;

function totalsOf(parts: readonly Totals[]): Totals {
  const of = (name: keyof Totals): number => sumOf(parts, (part) => part[name]);
  const counted = Object.fromEntries(events.map((event) => [event, of(event)])) as Pick<
    Totals,
    (typeof events)[number]
  >;
  return { ...counted, runs: of('runs'), failedRuns: of('failedRuns'), failed: of('failed') };
}

function eventsOf(totals: Totals, { t, f }: Pick<PageContext, 't' | 'f'>, always: readonly string[] = []) {
  const told = events.filter((event) => totals[event] > 0 || always.includes(event));
  return told.map(
    (event) => [event, `${f.number(totals[event])} ${classWord(t.words.events, event, totals[event])}`] as const,
  );
}

/** What happened to people in the last 30 days, and in the last 24 hours. */
export function MonthCard({ syncs }: { readonly syncs: readonly SyncOverview[] }) {
  const { t, f } = usePage();
  const words = t.overview.month;
  const days = useDays(30).data;
  const all = (days?.days ?? []).map((day, i) => {
    return { day, ...totalsOf((days?.syncs ?? []).flatMap((sync) => sync.days[i] ?? [])) };
  });
  const month = totalsOf(all);
  const lastDay = totalsOf(syncs.map((sync) => sync.lastDay));
  return (
    <Section className="card month" name="month" title={words.title}>
      <DayBars days={all} />
      <ul className="legend">
        {eventsOf(month, { t, f }, alwaysTold).map(([event, text]) => (
          <li key={event} className={event}>
            {text}
          </li>
        ))}
        {month.failed === 0 ? null : (
          <li className="bad">
            {f.number(month.failed)} {t.runs.counts.failed}
          </li>
        )}
      </ul>
      <p className="faint small">{words.hint}</p>
      <p className="small">
        <strong>{words.lastDay}</strong>{' '}
        <Dots>
          {eventsOf(lastDay, { t, f }, alwaysTold).map(([, text]) => text)}
          {t.overview.syncs.runs(lastDay.runs)}
          {lastDay.failed === 0 ? null : (
            <span className="needs">{`${f.number(lastDay.failed)} ${t.runs.counts.failed}`}</span>
          )}
          {lastDay.failedRuns === 0 ? null : (
            <span className="needs">{t.overview.syncs.failedRuns(lastDay.failedRuns)}</span>
          )}
        </Dots>
      </p>
      <Link to="/changes">{t.recent.title}</Link>
    </Section>
  );
}

/** What a sync does now: idle, or the step of its run with progress and remaining time. */
export function ActivityCell({ sync: { activity, requests } }: { readonly sync: SyncOverview }) {
  const { t, f } = usePage();
  const now = useNow();
  const words = t.overview.syncs;
  const { kind, run, phase, step, steps, changes, etaSeconds, isInterrupted, interruptedAt, problem, waiting } =
    activity;
  if (kind === 'idle') return <span className="faint">{wordOf(t.words.activity, kind)}</span>;
  if (kind === 'waiting') {
    return (
      <span className="stack">
        <Badge look={['quiet', 'clock']}>{wordOf(t.words.activity, kind)}</Badge>
        {requests === 0 ? null : <small className="faint">{words.requests(requests)}</small>}
      </span>
    );
  }
  const word = kind === 'running' && phase !== null ? wordOf(t.words.phase, phase) : wordOf(t.words.activity, kind);
  const isActive = kind === 'running' && !isInterrupted;
  const badge = (
    <Badge look={isActive ? ['busy', 'run'] : ['warn', 'hand']}>
      {kind === 'running' && step !== null ? words.step(word, step, steps) : word}
    </Badge>
  );
  return (
    <span className="stack">
      {run === null ? badge : <Link to={pathTo('runs', run)}>{badge}</Link>}
      {isInterrupted ? (
        <small>{words.interrupted(interruptedAt === null ? null : f.instant(interruptedAt, now))}</small>
      ) : null}
      {waiting === null ? null : <small className="faint break">{waiting.text}</small>}
      {problem === null || waiting !== null ? null : (
        <small className="faint break">{words.problem(f.instant(problem.at, now), problem.reason)}</small>
      )}
      {changes === null || kind !== 'running' ? null : (
        <small className="faint progress">
          <progress max={Math.max(1, changes.total)} value={changes.done} aria-label={word} />
          {words.done(f.number(changes.done), f.number(changes.total))}
          {etaSeconds === null ? '' : ` · ${words.eta(f.duration(etaSeconds * 1000))}`}
        </small>
      )}
    </span>
  );
}

/** When the schedule starts the next run, or why it starts none. */
export function NextSlot({ sync }: { readonly sync: SyncOverview }) {
  const { name, nextSlotAt, refusedUntil, health, schedule, frozenUntil } = sync;
  const { t, f } = usePage();
  const words = t.overview.syncs;
  return (
    <span className="stack">
      <At at={nextSlotAt} missing={health.state === 'paused' ? words.paused : (schedule ?? words.manual)} />
      {refusedUntil === null ? null : (
        <small className="faint">{words.refusedUntil(f.fullInstant(refusedUntil), `rollcall resync ${name}`)}</small>
      )}
      {frozenUntil === null ? null : <small className="faint">{words.frozenUntil(f.fullInstant(frozenUntil))}</small>}
    </span>
  );
}

const height = 24;
const width = 9;
const gap = 3;

/** A chart shows more than a sentence once there are three days of runs. */
export function isCharted(days: readonly DayCounts[]): boolean {
  return days.filter(({ runs }) => runs > 0).length >= 3;
}

/**
 * Bars on a scale of square roots, so that a small day beside a large one is still seen. Each is split by event. A failed
 * run of which no change failed is a red mark.
 */
export function DayBars({ days }: { readonly days: readonly DayCounts[] | undefined }) {
  const { t, f } = usePage();
  if (days === undefined || !isCharted(days)) return null;
  const bars = days.map((day) => {
    const applied = sumOf(events, (event) => day[event]);
    const words: string[] = eventsOf(day, { t, f }).map(([, text]) => text);
    if (day.failed > 0) words.push(`${f.number(day.failed)} ${t.runs.counts.failed}`);
    if (day.failedRuns > 0) words.push(t.overview.syncs.failedRuns(day.failedRuns));
    return {
      applied,
      value: applied + day.failed,
      key: day.day,
      parts: [
        ...events.toReversed().map((event) => ({ look: event, count: day[event] })),
        { look: 'bad', count: day.failed },
      ],
      isOnlyRunBad: day.failedRuns > 0 && day.failed === 0,
      title: t.overview.syncs.day(f.day(day.day), day.runs, words.join(', ')),
    };
  });
  const all = sumOf(bars, ({ applied }) => applied);
  const failed = sumOf(days, ({ failedRuns }) => failedRuns);
  const largest = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <svg
      className="bars"
      width={bars.length * (width + gap) - gap}
      height={height}
      viewBox={`0 0 ${bars.length * (width + gap) - gap} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={t.overview.syncs.chart(all, days.length, failed)}
    >
      {bars.map(({ key, value, parts, isOnlyRunBad, title }, i) => {
        const tall = value === 0 ? 0 : Math.max(4, Math.round(Math.sqrt(value / largest) * (height - 3)));
        const x = i * (width + gap);
        let top = height;
        return (
          <g key={key}>
            <title>{title}</title>
            <rect className="zero" {...{ x, width }} y={height - 2} height={2} />
            {parts.map(({ look, count }) => {
              const part = value === 0 ? 0 : (count / value) * tall;
              top -= part;
              return part === 0 ? null : <rect key={look} className={look} {...{ x, width }} y={top} height={part} />;
            })}
            {isOnlyRunBad ? <rect className="bad" {...{ x, width }} y={Math.max(0, top - 3)} height={3} /> : null}
          </g>
        );
      })}
    </svg>
  );
}
