import { keepPreviousData } from '@tanstack/react-query';
import { Fragment } from 'react';
import type { ParamsOf } from '../api/client.ts';
import type { Schemas } from '../api/schema.d.ts';
import { useMay } from '../shell/session.tsx';
import { useNow } from '../state/now.tsx';
import { usePage } from '../state/page-context.tsx';
import { useAnswer, usePages } from '../state/queries.ts';
import { Link, pathTo, useFilters, useQueryOf, withFilters } from '../state/router.tsx';
import { classWord, wordOf } from '../texts/plural.ts';
import { ActionButton } from '../ui/actions.tsx';
import { Badge, Icon, KindMark } from '../ui/badges.tsx';
import { DataTable, usePersonColumns } from '../ui/data-table.tsx';
import {
  DateField,
  DaysFilter,
  Filters,
  isFiltered,
  Select,
  SyncFilter,
  TextFilter,
  WordFilter,
} from '../ui/filters.tsx';
import { Dots, Empty, Loaded, PageHead, Section } from '../ui/frame.tsx';
import { At } from '../ui/time.tsx';

type Report = Schemas['PersonReport'];

/** All changes of the last 30 days by run, the newest first. The filters are in the address. */
export function ChangesPage() {
  const { t } = usePage();
  const words = t.recent;
  const classes = Object.fromEntries(Object.keys(t.words.classes).map((one) => [one, classWord(t.words.classes, one)]));
  const query = useQueryOf<ParamsOf<'get', '/api/changes'>>('text', 'sync', 'kind', 'class', 'state', 'since', 'until');
  const found = usePages('/api/changes', { ...query, limit: 100 }, ({ changes }) => changes, {
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHead title={words.title} actions={<Link to="/reports">{words.report}</Link>} />
      <Filters query={query}>
        <TextFilter name="text" label={t.changes.filter} />
        <SyncFilter />
        <WordFilter name="kind" label={t.changes.columns.kind} words={t.words.kind} />
        <WordFilter name="class" label={words.class} words={classes} />
        <WordFilter name="state" label={t.runs.state} words={t.words.changeState} />
        <DaysFilter />
      </Filters>
      <Loaded query={found}>
        {({ rows }) => <ChangesByRun changes={rows} empty={isFiltered(query) ? t.changes.noMatch : words.none} />}
      </Loaded>
    </>
  );
}

interface ByRunProps {
  readonly changes: readonly Omit<Schemas['RecentChanges']['changes'][number], 'appliedAt'>[];
  /** Says that there is none. */
  readonly empty: string;
}

/** Changes by run, by what they do, by what became of them, and why. */
export function ChangesByRun({ changes, empty }: ByRunProps) {
  const { t } = usePage();
  const personColumns = usePersonColumns();
  if (changes.length === 0) return <Empty title={empty} />;
  const named = (fields: readonly string[]) => fields.map((field) => wordOf(t.words.field, field)).join(', ');
  const groups = Map.groupBy(changes, ({ run, kind, state, stateReason }) => [run, kind, state, stateReason].join(' '));
  return [...groups].map(([key, some]) =>
    some.slice(0, 1).map(({ run, sync, at, kind, state, stateReason, reason: first }) => {
      const hasFields = some.some(({ changed }) => changed.length > 0);
      const isOneReason = some.every(({ reason }) => reason === first);
      return (
        <Fragment key={key}>
          <p className="group">
            <Dots>
              <At at={at} />
              <Link to={pathTo('runs', run)}>{t.runs.run(sync)}</Link>
              <Link to={withFilters(pathTo('runs', run, 'changes'), { kind, state })}>
                <KindMark kind={kind} />
              </Link>
              {wordOf(t.words.changeState, state)}
              {stateReason === null ? null : <span className="faint">{t.reason(stateReason)}</span>}
              {isOneReason ? <span className="faint">{t.reason(first)}</span> : null}
            </Dots>
          </p>
          <DataTable
            rows={some}
            keyOf={({ identification }) => identification}
            columns={[
              ...personColumns,
              hasFields ? { title: t.recent.fields, cell: ({ changed }) => named(changed) } : null,
              isOneReason ? null : { title: t.act.reason, className: 'faint', cell: ({ reason }) => t.reason(reason) },
            ]}
          />
        </Fragment>
      );
    }),
  );
}

const kinds = ['leavers', 'joiners'] as const;
const weekMs = 7 * 86_400_000;

/** Who left or joined between two days: when HR said it, when the platform showed it, and who approved. */
export function ReportPage() {
  const { t } = usePage();
  const words = t.recent;
  const now = useNow();
  const [, change] = useFilters();
  const asked = useQueryOf<Record<'kind' | 'from' | 'to' | 'sync', string | undefined>>('kind', 'from', 'to', 'sync');
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const kind = kinds.find((one) => one === asked.kind) ?? 'leavers';
  const query = { from: asked.from ?? dayOf(now - weekMs), to: asked.to ?? dayOf(now), sync: asked.sync };
  const report = useAnswer('/api/reports/{kind}', { kind, ...query }, { placeholderData: keepPreviousData });
  return (
    <>
      <PageHead title={words.report} actions={<Link to="/changes">{words.title}</Link>} />
      <div className="filters">
        <Select
          label={words.who}
          value={kind}
          options={kinds.map((one) => [one, words.kinds[one]] as const)}
          onChange={(one) => change({ kind: one })}
        />
        <DateField required label={t.runs.since} value={query.from} onChange={(from) => change({ from })} />
        <DateField required label={t.runs.until} value={query.to} onChange={(to) => change({ to })} />
        <SyncFilter />
        <span className="exports">
          <Icon name="download" />
          <a href={withFilters(`/api/reports/${kind}/export`, query)}>CSV</a>
        </span>
      </div>
      <Loaded query={report}>
        {({ people, counts }) => (
          <>
            <p className="why faint" role="status">
              <Dots>
                {Object.entries({ [kind.slice(0, -1)]: 0, ...counts }).map(([name, n]) =>
                  Object.hasOwn(t.words.events, name)
                    ? `${n} ${classWord(t.words.events, name, n)}`
                    : `${wordOf(t.words.changeState, name)} ${n}`,
                )}
              </Dots>
            </p>
            <ReportTable kind={kind} people={people} />
          </>
        )}
      </Loaded>
    </>
  );
}

function ReportTable({ kind, people }: Pick<Report, 'kind' | 'people'>) {
  const { t } = usePage();
  const words = t.recent;
  return (
    <DataTable
      rows={people}
      empty={<Empty title={words.nobody} />}
      keyOf={({ run, identification, change }) => `${run} ${identification} ${change}`}
      columns={[
        ...usePersonColumns(),
        { title: t.overview.syncs.name, cell: ({ sync }) => sync },
        { title: words.said, className: 'nowrap', cell: ({ saidAt }) => <At at={saidAt} /> },
        kind === 'joiners'
          ? { title: words.hired, className: 'nowrap', cell: ({ hireDate }) => hireDate ?? '–' }
          : { title: words.leaves, className: 'nowrap', cell: ({ leaveDate }) => leaveDate ?? '–' },
        { title: words.shown, className: 'nowrap', cell: ({ shownAt }) => <At at={shownAt} missing={words.notYet} /> },
        {
          title: t.runs.state,
          cell: ({ change, state, countedAs, keptBy, reason, run }) => (
            <span className="stack">
              <Link to={pathTo('runs', run)}>
                {wordOf(t.words.kind, change)} ·{' '}
                {wordOf(t.words.changeState, countedAs in t.words.changeState ? countedAs : state)}
                {countedAs === 'rejected' && keptBy !== null ? ` (${keptBy})` : ''}
              </Link>
              <small className="faint break">{t.reason(reason)}</small>
            </span>
          ),
        },
        {
          title: words.approved,
          cell: ({ approvedBy, approvedAt }) =>
            approvedBy === null ? (
              '–'
            ) : (
              <span className="stack">
                {approvedBy}
                <small className="faint">
                  <At at={approvedAt} />
                </small>
              </span>
            ),
        },
      ]}
    />
  );
}

/** Each person whom HR states as a leaver: what was said, sent and seen, and what blocks it. */
export function LeaversPage() {
  const { t, f } = usePage();
  const words = t.leavers;
  const [person] = usePersonColumns();
  const now = useNow();
  const query = useQueryOf<ParamsOf<'get', '/api/leavers'>>('sync', 'due', 'late');
  const found = useAnswer('/api/leavers', query, { placeholderData: keepPreviousData, refetchInterval: 60_000 });
  return (
    <>
      <PageHead title={words.title} actions={<Link to="/reports">{t.recent.report}</Link>} />
      <Filters query={query}>
        <SyncFilter />
        <WordFilter name="due" label={words.due} words={words.dues} />
        <WordFilter name="late" label={words.state} words={{ true: words.states.late }} />
      </Filters>
      <Loaded query={found}>
        {({ leavers }) => (
          <DataTable
            rows={leavers.map((one, i) => ({ ...one, name: null, before: leavers[i - 1]?.wait }))}
            empty={<Empty title={isFiltered(query) ? words.noMatch : words.none} />}
            keyOf={({ sync, identification, saidAt }) => `${sync} ${identification} ${saidAt}`}
            columns={[
              person && { ...person, title: t.changes.columns.identification },
              { title: t.overview.syncs.name, cell: ({ sync }) => sync },
              {
                title: words.state,
                cell: ({ state, ending, lateSeconds, effectiveAt, kept }) => (
                  <span className="stack">
                    <Badge look={looks[state]}>{ending === null ? words.states[state] : words.endings[ending]}</Badge>
                    {lateSeconds === 0 ? null : (
                      <small className="needs">{words.lateBy(f.duration(lateSeconds * 1000))}</small>
                    )}
                    {state === 'future' ? <small className="faint">{f.relative(effectiveAt, now)}</small> : null}
                    {kept === null ? null : <small className="faint break">{[kept.by, kept.why].join(' ')}</small>}
                  </span>
                ),
              },
              { title: t.recent.said, className: 'nowrap', cell: ({ saidAt }) => <At at={saidAt} /> },
              { title: words.effective, className: 'nowrap', cell: ({ effectiveAt }) => <At at={effectiveAt} /> },
              { title: words.due, className: 'nowrap', cell: ({ dueAt }) => <At at={dueAt} /> },
              {
                title: words.sent,
                className: 'nowrap',
                cell: ({ sentAt, run }) =>
                  run === null ? (
                    <At at={sentAt} />
                  ) : (
                    <Link to={pathTo('runs', run)}>
                      <At at={sentAt} />
                    </Link>
                  ),
              },
              { title: words.seen, className: 'nowrap', cell: ({ seenAt }) => <At at={seenAt} /> },
              {
                title: words.wait,
                className: 'long',
                // Many wait for one decision: its reason and command are told once.
                cell: ({ wait, before }) =>
                  wait === null ? null : wait.why === before?.why && wait.cure === before.cure ? (
                    '″'
                  ) : (
                    <span className="stack">
                      <span className="break">{t.reason(wait.why)}</span>
                      <code className="break">{wait.cure}</code>
                    </span>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
    </>
  );
}

const looks = {
  future: ['quiet', 'clock'],
  counting: ['busy', 'clock'],
  late: ['bad', 'warn'],
  kept: ['quiet', 'hand'],
  done: ['good', 'ok'],
} as const;

/** Who did what, newest first. */
export function AuditPage() {
  const { t } = usePage();
  const query = useQueryOf<ParamsOf<'get', '/api/audit'>>(
    'sync',
    'by',
    'action',
    'connection',
    'run',
    'since',
    'until',
  );
  const audit = usePages('/api/audit', { ...query, limit: 100 }, ({ entries }) => entries, {
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHead title={t.nav.audit} />
      <Filters query={query}>
        <SyncFilter />
        <WordFilter name="action" label={t.audit.action} words={t.words.action} />
        <TextFilter name="by" label={t.audit.filterBy} />
        <DaysFilter />
      </Filters>
      <Loaded query={audit}>
        {({ rows }) => (
          <DataTable
            rows={rows}
            keyOf={({ id }) => id}
            empty={<Empty title={isFiltered(query) ? t.audit.noMatch : t.audit.none} />}
            columns={[
              { title: t.alerts.at, className: 'nowrap', cell: ({ at }) => <At at={at} /> },
              {
                title: t.audit.by,
                cell: ({ by, label, as }) => (
                  <>
                    <span className="break">{label === null ? by : `${label} (${by})`}</span>
                    {as === null ? null : <small className="faint"> {t.audit.as(as)}</small>}
                  </>
                ),
              },
              { title: t.audit.action, cell: ({ action }) => wordOf(t.words.action, action) },
              {
                title: t.audit.about,
                cell: ({ sync, connection, run }) => (
                  <Dots>
                    {sync === null ? connection : <Link to={pathTo('syncs', sync)}>{sync}</Link>}
                    {run === null ? null : <Link to={pathTo('runs', run)}>{t.holds.run}</Link>}
                  </Dots>
                ),
              },
              { title: t.audit.detail, className: 'long', cell: ({ detail }) => detail },
              { title: t.act.reason, className: 'long', cell: ({ reason }) => reason },
            ]}
          />
        )}
      </Loaded>
      {useMay('sessions') ? <SessionsSection /> : null}
    </>
  );
}

/** Who is signed in. An admin ends the session of a user who left, or of a lost machine. */
function SessionsSection() {
  const { api, t } = usePage();
  const sessions = useAnswer('/api/sessions', {}, { refetchInterval: 60_000 });
  return (
    <Section name="sessions" title={t.audit.sessions.title}>
      <Loaded query={sessions}>
        {({ sessions: list }) => (
          <DataTable
            rows={list}
            keyOf={({ id }) => id}
            columns={[
              {
                title: t.audit.by,
                cell: ({ name, label }) => (
                  <span className="break">{label === null ? name : `${label} (${name})`}</span>
                ),
              },
              { title: t.audit.sessions.since, className: 'nowrap', cell: ({ createdAt }) => <At at={createdAt} /> },
              { title: t.audit.sessions.used, className: 'nowrap', cell: ({ usedAt }) => <At at={usedAt} /> },
              {
                title: '',
                cell: ({ id }) => (
                  <ActionButton
                    label={t.audit.sessions.end}
                    look="danger"
                    means={t.audit.sessions.means}
                    onAct={(body) => api.post('/api/sessions/{name}/end', { name: id }, body)}
                  />
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}
