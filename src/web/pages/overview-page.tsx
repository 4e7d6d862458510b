import { useMay } from '../shell/session.tsx';
import { type Overview, type SyncOverview, useOverview } from '../state/live.ts';
import { useNow } from '../state/now.tsx';
import { classCount, usePage } from '../state/page-context.tsx';
import { useAnswer } from '../state/queries.ts';
import { Link, pathTo, withFilters } from '../state/router.tsx';
import { Box } from '../ui/actions.tsx';
import { Badge, Icon, StateBadge } from '../ui/badges.tsx';
import { Dots, Loaded, PageHead, Pair, Section } from '../ui/frame.tsx';
import { ConnectionsCard } from './connections-page.tsx';
import { MonthCard, SyncTable } from './sync-table.tsx';

/** What waits for the user first, then every sync with its health and its state. */
export function OverviewPage() {
  const { t } = usePage();
  // Users whom no sync disables, because their sync is not configured, and what to do.
  const orphans = useAnswer('/api/orphans', {}).data?.orphans ?? [];
  return (
    <Loaded query={useOverview()} title={t.nav.overview}>
      {(data) => (
        <>
          <PageHead
            title={t.nav.overview}
            beside={data.worst === null || data.syncs.length < 2 ? null : <StateBadge of="health" state={data.worst} />}
          />
          <WaitingList overview={data} />
          {[...orphans.map(({ message }) => message), ...data.plainText].map((message) => (
            <Box key={message} look="warn" icon="clock">
              {message}
            </Box>
          ))}
          <SyncTable syncs={data.syncs} />
          <div className="cards">
            <MonthCard syncs={data.syncs} />
            <LeaversCard syncs={data.syncs} />
            <AlertsCard alerts={data.alerts} />
            <ConnectionsCard />
            <WorkCard work={data.work} />
          </div>
        </>
      )}
    </Loaded>
  );
}

/** What waits for a decision, counted in the store whatever its age. */
export function WaitingList({ overview }: { readonly overview: Overview }) {
  const { t } = usePage();
  const waiting = overview.syncs.filter(({ holds }) => holds.changes + holds.expired.changes + holds.reads > 0);
  return (
    <Section
      name="waiting"
      title={t.overview.waiting.title}
      className={waiting.length === 0 ? 'waiting none' : 'waiting'}
    >
      {waiting.length === 0 ? (
        <p className="calm">
          <Icon name="ok" />
          {t.overview.waiting.none}
        </p>
      ) : (
        <ul className="list">
          {waiting.map((sync) => (
            <WaitingSync key={sync.name} sync={sync} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function WaitingSync({ sync: { name, holds, activity } }: { readonly sync: SyncOverview }) {
  const { t, f } = usePage();
  const now = useNow();
  const words = t.overview.waiting;
  const classes = Object.entries(holds.byClass)
    .map(([one, count]) => classCount({ t, f }, one, count))
    .join(', ');
  return (
    <li>
      <strong>{name}</strong>
      <div className="grow">
        {holds.changes === 0 ? null : <div>{words.held(holds.changes, classes)}</div>}
        {holds.expired.changes === 0 ? null : <div className="faint">{words.expired(holds.expired.changes)}</div>}
        {holds.reads === 0 ? null : <div>{words.reads(holds.reads)}</div>}
        {holds.changes === 0 || holds.heldAt === null ? null : (
          <small className="faint">
            <Dots>
              {words.since(f.relative(holds.heldAt, now))}
              {holds.expiresAt === null ? null : words.expires(f.relative(holds.expiresAt, now))}
            </Dots>
          </small>
        )}
      </div>
      {holds.reads > 0 && activity.run !== null ? (
        <Link className="button" to={pathTo('runs', activity.run)}>
          {words.look}
        </Link>
      ) : null}
      {holds.changes === 0 ? null : (
        <Link className="button main" to={withFilters('/holds', { sync: name })}>
          {words.review(holds.changes)}
          <Icon name="right" />
        </Link>
      )}
    </li>
  );
}

function WorkCard({ work }: { readonly work: Overview['work'] }) {
  const { t, f } = usePage();
  const words = t.overview.work;
  const isUnscheduled = work.workers === 'alive';
  return (
    <Section className="card" name="work" title={words.title}>
      <dl className="pairs">
        <Pair name={words.deployment}>
          {work.isDeploymentRunning ? (
            <Badge look={['good', 'ok']}>{words.running}</Badge>
          ) : (
            <Badge look={['warn', 'pause']}>{isUnscheduled ? words.unscheduled : words.stopped}</Badge>
          )}
        </Pair>
        <Pair name={words.workers} className={work.workers === 'none' ? 'needs' : ''}>
          {words.workerStates[work.workers]}
        </Pair>
        <Pair name={words.runs}>{f.number(work.runs)}</Pair>
        <Pair name={words.requests}>{f.number(work.requests)}</Pair>
      </dl>
      {work.isDeploymentRunning ? null : (
        <p className="faint small">{isUnscheduled ? words.unscheduledHint : words.stoppedHint}</p>
      )}
      {work.workers === 'none' ? <p className="faint small">{words.noWorkersHint}</p> : null}
    </Section>
  );
}

function LeaversCard({ syncs }: Pick<Overview, 'syncs'>) {
  const { t, f } = usePage();
  const words = t.leavers;
  const all = syncs.flatMap(({ leavers }) => (leavers === null ? [] : [leavers]));
  const [due, late] = [all.map(({ dueToday }) => dueToday), all.map(({ late: count }) => count)].map((counts) =>
    counts.reduce((sum, count) => sum + count, 0),
  );
  const slowest = Math.max(...all.map(({ slowestSeconds }) => slowestSeconds ?? -1));
  return (
    <Section className="card" name="leavers" title={words.title}>
      <Badge look={late === 0 ? ['good', 'ok'] : ['bad', 'warn']}>{words.late(late ?? 0)}</Badge>
      <p className="small">
        <Dots>
          {words.dueToday(due ?? 0)}
          {slowest < 0 ? null : words.slowest(f.duration(slowest * 1000))}
        </Dots>
      </p>
      {useMay('people') ? <Link to="/leavers">{words.title}</Link> : null}
    </Section>
  );
}

function AlertsCard({ alerts }: { readonly alerts: Overview['alerts'] }) {
  const { t } = usePage();
  const words = t.overview.alerts;
  const { open, acknowledged, muted } = alerts;
  return (
    <Section className="card" name="alerts" title={t.nav.alerts}>
      {open === 0 ? (
        <Badge look={['good', 'ok']}>{words.none}</Badge>
      ) : (
        <Link to="/alerts">
          <Badge look={[alerts.worst === 'info' ? 'warn' : 'bad', 'bell']}>{words.open(open)}</Badge>
        </Link>
      )}
      <p className="faint small">
        <Dots>
          {acknowledged > 0 ? words.acknowledged(acknowledged) : null}
          {muted > 0 ? words.muted(muted) : null}
        </Dots>
      </p>
    </Section>
  );
}
