import type { ReactNode } from 'react';
import type { Schemas } from '../api/schema.d.ts';
import { classCount, usePage } from '../state/page-context.tsx';
import { useAnswer, usePages } from '../state/queries.ts';
import { Link, pathTo, useFilter } from '../state/router.tsx';
import { wordOf } from '../texts/plural.ts';
import { Badge, Icon, StateBadge } from '../ui/badges.tsx';
import { SyncFilter } from '../ui/filters.tsx';
import { Dots, Empty, Loaded, PageHead, Section } from '../ui/frame.tsx';
import { Ago } from '../ui/time.tsx';

type Hold = Schemas['HoldsPage']['holds'][number];
type HeldEnd = Schemas['HoldDetail']['ends'][number];

/** Everything that waits for a decision. */
export function HoldsPage() {
  const { t } = usePage();
  const [sync] = useFilter('sync');
  const holds = useAnswer('/api/holds', { sync, limit: 1 }, { refetchInterval: 30_000 });
  return (
    <>
      <PageHead title={t.nav.holds} />
      <div className="filters">
        <SyncFilter />
      </div>
      <Loaded query={holds}>
        {({ holds: list, reads }) => (
          <>
            {list.length + reads.length === 0 ? (
              <Empty title={t.overview.waiting.none} hint={t.holds.noneHint} />
            ) : null}
            <ul className="list">
              {reads.map(({ run, sync: name, reason, startedAt }) => (
                <li key={run}>
                  <Badge look={['bad', 'warn']}>{t.holds.read}</Badge>
                  <div className="grow">
                    <strong>{name}</strong> · {reason === null ? '' : t.reason(reason)}
                    <div className="faint small">
                      <Ago at={startedAt} />
                    </div>
                  </div>
                  <Link className="button" to={pathTo('runs', run)}>
                    {t.overview.waiting.look}
                  </Link>
                </li>
              ))}
              {list.map((hold) => (
                <OpenHold key={hold.id} hold={hold} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <ClosedHolds sync={sync} />
    </>
  );
}

/** Holds that no longer wait: who decided, and why. Each leads to its people. */
function ClosedHolds({ sync }: { readonly sync: string | undefined }) {
  const { t } = usePage();
  const closed = usePages('/api/holds/closed', { sync, limit: 20 }, ({ holds }) => holds);
  if (closed.data === undefined || closed.data.rows.length === 0) return null;
  return (
    <Section name="closed" title={t.holds.closed}>
      <Loaded query={closed}>
        {({ rows }) => (
          <ul className="list">
            {rows.map((hold) => (
              <HoldEntry key={hold.id} hold={hold} state={holdStateOf(hold.state, hold.ends)}>
                {hold.ends.map((end) => (
                  <div key={`${end.state} ${end.by} ${end.why} ${end.run}`} className="faint break">
                    <EndWords end={end} />
                  </div>
                ))}
                <small className="faint">
                  <Ago at={hold.heldAt} />
                </small>
              </HoldEntry>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

function OpenHold({ hold }: { readonly hold: Hold }) {
  const { t } = usePage();
  return (
    <HoldEntry hold={hold} state={hold.isApprovable ? 'open' : 'expired'}>
      {hold.approvals.map(({ changes, of, by }) => (
        <div key={by.join()} className="needs">
          {t.holds.partly(changes, by.length, of, by.join(', '))}
        </div>
      ))}
      <div className="faint small">
        {t.holds.heldSince}{' '}
        <Dots>
          <Ago at={hold.heldAt} />
          {hold.isApprovable ? <Expires at={hold.expiresAt} /> : null}
          {hold.budget === null ? null : <EffectWords budget={hold.budget} />}
        </Dots>
      </div>
    </HoldEntry>
  );
}

interface EntryProps {
  readonly hold: Pick<Hold, 'id' | 'class' | 'count' | 'reason'> & { readonly sync?: string };
  /** `open`: it waits for a decision. */
  readonly state: string;
  readonly children: ReactNode;
}

/** A hold in a list, with what leads to its people. */
export function HoldEntry({ hold: { id, sync, class: held, count, reason }, state, children }: EntryProps) {
  const { t, f } = usePage();
  const what = classCount({ t, f }, held, count);
  return (
    <li>
      <StateBadge of="holdState" state={state} />
      <div className="grow">
        <strong>{sync === undefined ? what : `${sync} · ${what}`}</strong>
        <div className="break">{t.reason(reason)}</div>
        {children}
      </div>
      <Link className={state === 'open' ? 'button main' : 'button'} to={pathTo('holds', id)}>
        {state === 'open' ? t.overview.waiting.review(count) : t.runs.showHold}
        <Icon name="right" />
      </Link>
    </li>
  );
}

/** When a hold ends without a decision. */
export function Expires({ at }: { readonly at: string }) {
  const { t } = usePage();
  return (
    <span>
      {t.holds.expires} <Ago at={at} />
    </span>
  );
}

/** What a delivery takes: files, requests and time. */
export function EffectWords({ budget }: { readonly budget: Schemas['Effect']['budget'] }) {
  const { t, f } = usePage();
  if (budget === null) return t.holds.noEstimate;
  const { files, requests, seconds } = budget;
  return t.holds.effect(files, requests, seconds < 60 ? undefined : f.duration(seconds * 1000));
}

/** A hold also closes as expired when its changes were decided in part, or wait in the hold of a later run. */
export function holdStateOf(state: string, ends: readonly HeldEnd[]): string {
  if (state !== 'expired') return state;
  if (ends.some((end) => end.state === 'open')) return 'replaced';
  return ends.some((end) => end.state === 'approved' || end.state === 'rejected') ? 'decided' : state;
}

/** `9 approved · ana · confirmed by HR` */
function EndWords({ end: { state, by, why, count } }: { readonly end: Omit<HeldEnd, 'classes' | 'run' | 'end'> }) {
  const { t, f } = usePage();
  return [`${f.number(count)} ${wordOf(t.words.heldEnd, state)}`, by, why].filter((text) => text !== null).join(' · ');
}

/** What became of the changes of a hold, with a link to where the rest waits. */
export function HoldEnds({ hold }: { readonly hold: Schemas['HoldDetail'] }) {
  const { t } = usePage();
  const { ends, replacedBy } = hold;
  if (ends.every(({ state }) => state === 'open') && replacedBy === null) return null;
  return (
    <ul className="list">
      {ends.map(({ state, by, why, run, count }) => (
        <li key={`${state} ${by} ${why} ${run}`}>
          <Dots>
            <EndWords end={{ state, by, why, count }} />
            {run === null ? null : <Link to={pathTo('runs', run)}>{t.holds.run}</Link>}
            {state === 'open' && replacedBy !== null ? (
              <Link to={pathTo('holds', replacedBy)}>{t.holds.replacedBy}</Link>
            ) : null}
          </Dots>
        </li>
      ))}
    </ul>
  );
}
