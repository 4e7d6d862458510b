import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Redirect } from 'wouter';
import type { Schemas } from '../api/schema.d.ts';
import { ChangeList } from '../changes/change-list.tsx';
import { ChangeFilters, useChangeView } from '../changes/changes-view.tsx';
import { type ChangeFilter, isNothing, mostIds, nothing, orderPart, type Selection } from '../changes/subject.ts';
import { useChanges } from '../changes/use-changes.ts';
import { useMay } from '../shell/session.tsx';
import { useOverview } from '../state/live.ts';
import { classCount, usePage } from '../state/page-context.tsx';
import { useAnswer } from '../state/queries.ts';
import { Link, pathTo } from '../state/router.tsx';
import { ActionButton, Box, Button, ProblemBox } from '../ui/actions.tsx';
import { KindMark, StateBadge } from '../ui/badges.tsx';
import { Dots, Loaded, PageHead, Pair } from '../ui/frame.tsx';
import { Ago, At } from '../ui/time.tsx';
import { EffectWords, HoldEnds, holdStateOf } from './holds-page.tsx';
import { useRun } from './runs-page.tsx';
import { ActivityCell } from './sync-table.tsx';

type Hold = Schemas['HoldDetail'];

/** One hold: who, what differs, and the decision. An address with a run leads to its hold. */
export function HoldPage({ id }: { readonly id: string }) {
  return id.startsWith('run_') ? <HoldOfRun id={id} /> : <HoldOfId id={id} />;
}

/** A run without a hold, or with several, shows them itself. */
function HoldOfRun({ id }: { readonly id: string }) {
  return (
    <Loaded query={useRun(id)} title={id}>
      {({ holds: [hold, another] }) => (
        <Redirect replace to={hold && !another ? pathTo('holds', hold.id) : pathTo('runs', id)} />
      )}
    </Loaded>
  );
}

function HoldOfId({ id }: { readonly id: string }) {
  return (
    <Loaded query={useAnswer('/api/holds/{id}', { id })} title={id}>
      {(hold) => <HoldBody hold={hold} />}
    </Loaded>
  );
}

function HoldBody({ hold }: { readonly hold: Hold }) {
  const { t, f } = usePage();
  const mayDecide = useMay('decide', hold.sync);
  const seesPeople = useMay('people', hold.sync);
  const view = useChangeView('hold', hold.id);
  const [selection, setSelection] = useState(nothing);
  const { total = hold.count, all } = useChanges(view, undefined, seesPeople);
  const [verdict, setVerdict] = useState<Omit<VerdictProps, 'onDismiss'>>();
  const shown = hold.isApprovable || hold.state === 'open' ? hold.count : hold.size;
  const what = classCount({ t, f }, hold.class, shown);
  const isDecidable = mayDecide && hold.isApprovable && hold.count > 0;
  return (
    <>
      <p className="crumbs">
        <Link to="/holds">{t.nav.holds}</Link> / <Link to={pathTo('syncs', hold.sync)}>{hold.sync}</Link>
      </p>
      <PageHead
        title={`${hold.sync} · ${what}`}
        beside={
          <StateBadge
            of="holdState"
            state={hold.state === 'open' && !hold.isApprovable ? 'expired' : holdStateOf(hold.state, hold.ends)}
          />
        }
        actions={
          hold.isApprovable ? (
            <span className="faint">
              {t.holds.expires} <Ago at={hold.expiresAt} />
            </span>
          ) : undefined
        }
      />
      <p className="why">
        {t.reason(hold.reason)} <span className="faint">·</span>{' '}
        <Link to={pathTo('runs', hold.run.id)}>{t.holds.run}</Link>{' '}
        <span className="faint">
          <Ago at={hold.heldAt} />
        </span>
      </p>
      {verdict === undefined ? null : <VerdictBox {...verdict} onDismiss={() => setVerdict(undefined)} />}
      {hold.approvals.map(({ changes, of, by }) => (
        <Box key={by.join()} icon="hand">
          {t.holds.partly(changes, by.length, of, by.join(', '))}
        </Box>
      ))}
      <HoldEnds hold={hold} />
      {hold.isApprovable || hold.state !== 'open' ? null : (
        <Box look="warn" icon="clock">
          {t.holds.expiredHint}
        </Box>
      )}
      <div className="stretch">
        {seesPeople ? (
          <>
            <ChangeFilters view={view} />
            <ChangeList
              view={view}
              sync={hold.sync}
              label={t.holds.list}
              choice={isDecidable ? { selection, onChange: setSelection } : undefined}
            />
          </>
        ) : (
          <p className="faint">{t.holds.peopleHidden}</p>
        )}
        {isDecidable ? (
          <DecisionBar
            hold={hold}
            filter={view.filter}
            selection={selection}
            total={total}
            onDecided={(action, data) => {
              setVerdict({ action, data });
              setSelection(nothing);
            }}
          />
        ) : (
          <p className="faint small counted">{t.changes.shown(total, all)}</p>
        )}
      </div>
    </>
  );
}

interface BarProps {
  readonly hold: Hold;
  readonly filter: ChangeFilter;
  readonly selection: Selection;
  readonly total: number;
  readonly onDecided: (action: Decided, verdict: Schemas['Verdict']) => void;
}

/** An approval that takes more accounts away needs a tick. */
const untickedLeavers = 10;

/** What is chosen, what an approval of it does, and the two decisions. The server counts, not the page. */
function DecisionBar({ hold, filter, selection, total, onDecided }: BarProps) {
  const { api, t, f } = usePage();
  const { id } = hold;
  const part = orderPart(selection, filter);
  const isEmpty = isNothing(selection, total);
  const isTooMany = selection.ids.size > mostIds;
  const effect = useQuery({
    queryKey: ['/api/holds/{id}/effect', id, part],
    queryFn: ({ signal }) => api.post('/api/holds/{id}/effect', { id }, part, signal),
    enabled: !isEmpty && !isTooMany,
    placeholderData: keepPreviousData,
  });
  const { changes, kinds, people, undeliverable, budget } = (isEmpty ? undefined : effect.data) ?? noEffect;
  const isReady = changes > 0 && !effect.isPlaceholderData && !isTooMany;
  const what = classCount({ t, f }, hold.class, changes);
  const leaving = (kinds.disable ?? 0) + (kinds.remove ?? 0);
  const names = people.map(({ name, identification }) => `${name} (${identification})`.trim()).join(', ');
  const facts = (
    <>
      <Pair name={t.nav.people}>{t.holds.named(names, changes - people.length)}</Pair>
      <Pair name={t.runs.changes}>
        <Dots>
          {Object.entries(kinds).map(([kind, count]) =>
            count > 0 ? <KindMark key={kind} {...{ kind, count }} /> : '',
          )}
        </Dots>
      </Pair>
      {undeliverable === 0 ? null : <Pair className="needs">{t.holds.undeliverable(undeliverable)}</Pair>}
    </>
  );
  /** Decides exactly the changes that were counted. */
  const decide = (action: Decided) => ({
    disabled: !isReady,
    onAct: (reason: { readonly reason?: string }) =>
      api.post(`/api/holds/{id}/${action}`, { id }, { ...part, expect: changes, ...reason }),
    onDone: (verdict: Schemas['Verdict']) => onDecided(action, verdict),
  });
  return (
    <div className="decision">
      <ProblemBox error={isEmpty ? null : effect.error} onRetry={() => void effect.refetch()} />
      <div className="grow" role="status">
        <strong>{t.holds.chosen(changes, hold.count)}</strong>
        <div className="faint">
          {isTooMany ? (
            t.holds.tooMany(mostIds)
          ) : isEmpty || effect.data === undefined ? (
            t.holds.chooseHint
          ) : (
            <EffectWords budget={budget} />
          )}
        </div>
        {undeliverable === 0 ? null : <div className="needs">{t.holds.undeliverable(undeliverable)}</div>}
      </div>
      <div className="actions">
        <ActionButton
          {...decide('reject')}
          label={t.holds.reject}
          title={t.holds.rejectTitle(what)}
          means={t.holds.rejectMeans}
          look="danger"
          reason="required"
          facts={<dl className="pairs">{facts}</dl>}
        />
        <ActionButton
          {...decide('approve')}
          label={t.holds.approve(isEmpty || effect.data !== undefined ? what : '')}
          means={t.holds.approveMeans}
          look="main"
          facts={
            <dl className="pairs">
              {facts}
              <Pair name={t.holds.takes}>
                <EffectWords budget={budget} />
              </Pair>
            </dl>
          }
        >
          {leaving > untickedLeavers ? (
            <label className="check">
              <input type="checkbox" required />
              {t.holds.looked(leaving)}
            </label>
          ) : null}
        </ActionButton>
      </div>
    </div>
  );
}

const noEffect: Schemas['Effect'] = { changes: 0, kinds: {}, people: [], undeliverable: 0, budget: null };

type Decided = 'approve' | 'reject';

interface VerdictProps {
  readonly action: Decided;
  readonly data: Schemas['Verdict'];
  readonly onDismiss: () => void;
}

/** What became of a decision, and what the sync does with it now. */
function VerdictBox({ action, data, onDismiss }: VerdictProps) {
  const { t } = usePage();
  const overview = useOverview();
  const sync = overview.data?.syncs.find(({ name }) => name === data.sync);
  const isApproval = action === 'approve';
  const approvedHint = data.isDeploymentRunning ? t.holds.approvedHint : t.holds.noDeployment;
  // A rejection needs no second person.
  const isWaiting = data.changes === 0 && data.pending > 0;
  return (
    <Box
      look={(data.isDeploymentRunning && !isWaiting) || !isApproval ? 'good' : 'warn'}
      icon="ok"
      role="status"
      actions={<Button onClick={onDismiss}>{t.problem.dismiss}</Button>}
    >
      {isWaiting ? null : (
        <>
          <strong>{isApproval ? t.holds.approved(data.changes) : t.holds.rejected(data.changes)}</strong>
          <p>{isApproval ? approvedHint : t.holds.rejectedHint}</p>
        </>
      )}
      {data.pending === 0 ? null : <p>{t.holds.pending(data.pending)}</p>}
      {data.reduced === 0 ? null : <p>{t.holds.reduced(data.reduced)}</p>}
      {!isApproval || data.frozenUntil === null ? null : (
        <p>
          {t.holds.frozen} <At at={data.frozenUntil} />
        </p>
      )}
      {sync === undefined ? null : (
        <p>
          <Link to={pathTo('syncs', sync.name)}>{sync.name}</Link>: <ActivityCell sync={sync} />
        </p>
      )}
    </Box>
  );
}
