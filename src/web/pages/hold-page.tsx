import { keepPreviousData } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { answerOf } from '../api/client.ts';
import type { Schemas } from '../api/schema.ts';
import { ChangesView, useChangeView } from '../changes/changes-view.tsx';
import { type ChangeFilter, isNothing, mostIds, nothing, orderPart, type Selection } from '../changes/subject.ts';
import { useMay } from '../shell/session.tsx';
import { useOverview } from '../state/live.ts';
import { usePage } from '../state/page-context.tsx';
import { useAnswer } from '../state/queries.ts';
import { Link, pathTo } from '../state/router.tsx';
import { classWord, wordOf } from '../texts/plural.ts';
import { Box, Button, ConfirmDialog, ProblemBox } from '../ui/actions.tsx';
import { HoldBadge } from '../ui/badges.tsx';
import { Loaded, PageHead, Pair } from '../ui/frame.tsx';
import { Ago, At } from '../ui/time.tsx';
import { EffectWords, HoldEnds, holdStateOf } from './holds-page.tsx';
import { ActivityCell } from './sync-table.tsx';

type Hold = Schemas['HoldDetail'];

/** One hold: who, what differs, and the decision. */
export function HoldPage({ id }: { readonly id: string }) {
  const hold = useAnswer(['hold', id], (api, signal) =>
    api.GET('/api/holds/{id}', { signal, params: { path: { id } } }),
  );
  return (
    <Loaded query={hold} title={id}>
      {(data) => <HoldBody hold={data} />}
    </Loaded>
  );
}

function HoldBody({ hold }: { readonly hold: Hold }) {
  const { t, f } = usePage();
  const mayDecide = useMay('decide', hold.sync);
  const seesPeople = useMay('people', hold.sync);
  const view = useChangeView('hold', hold.id);
  const [selection, setSelection] = useState(nothing);
  const [[total, all], setTotal] = useState([hold.count, hold.count]);
  const onTotal = useCallback((matching: number, of: number) => setTotal([matching, of]), []);
  const [verdict, setVerdict] = useState<{
    readonly action: 'approve' | 'reject';
    readonly data: Schemas['Verdict'];
  }>();
  const shown = hold.isApprovable || hold.state === 'open' ? hold.count : hold.size;
  const what = `${f.number(shown)} ${classWord(t.words, hold.class, shown)}`;
  const isDecidable = mayDecide && hold.isApprovable && hold.count > 0;
  return (
    <>
      <p className="crumbs">
        <Link to="/holds">{t.nav.holds}</Link> / <Link to={pathTo('syncs', hold.sync)}>{hold.sync}</Link>
      </p>
      <PageHead
        title={`${hold.sync} · ${what}`}
        beside={
          <HoldBadge
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
          <ChangesView
            view={view}
            sync={hold.sync}
            label={t.holds.list}
            onTotal={onTotal}
            {...(isDecidable ? { choice: { selection, onChange: setSelection } } : {})}
          />
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
  readonly onDecided: (action: 'approve' | 'reject', verdict: Schemas['Verdict']) => void;
}

/** What is chosen, what an approval of it does, and the two decisions. The server counts, not the page. */
function DecisionBar({ hold, filter, selection, total, onDecided }: BarProps) {
  const { t, f } = usePage();
  const [action, setAction] = useState<'approve' | 'reject'>();
  const part = orderPart(selection, filter);
  const isEmpty = isNothing(selection, total);
  const isTooMany = selection.ids.size > mostIds;
  const effect = useAnswer<Schemas['Effect']>(
    ['hold', hold.id, 'effect', part],
    (api, signal) => api.POST('/api/holds/{id}/effect', { signal, params: { path: { id: hold.id } }, body: part }),
    { enabled: !isEmpty && !isTooMany, placeholderData: keepPreviousData },
  );
  const chosen = isEmpty ? 0 : effect.data?.changes;
  const isReady = chosen !== undefined && chosen > 0 && !effect.isPlaceholderData && !isTooMany;
  const what = chosen === undefined ? '' : `${f.number(chosen)} ${classWord(t.words, hold.class, chosen)}`;
  return (
    <div className="decision">
      <ProblemBox error={isEmpty ? null : effect.error} onRetry={() => void effect.refetch()} />
      <div className="grow" role="status">
        <strong>{t.holds.chosen(chosen ?? 0, hold.count)}</strong>
        <div className="faint">
          {isTooMany ? (
            t.holds.tooMany(mostIds)
          ) : isEmpty || effect.data === undefined ? (
            t.holds.chooseHint
          ) : (
            <EffectWords budget={effect.data.budget} />
          )}
        </div>
        {effect.data !== undefined && !isEmpty && effect.data.undeliverable > 0 ? (
          <div className="needs">{t.holds.undeliverable(effect.data.undeliverable)}</div>
        ) : null}
      </div>
      <div className="actions">
        <Button look="danger" disabled={!isReady} onClick={() => setAction('reject')}>
          {t.holds.reject}
        </Button>
        <Button look="main" disabled={!isReady} onClick={() => setAction('approve')}>
          {t.holds.approve(what)}
        </Button>
      </div>
      {action === undefined || effect.data === undefined ? null : (
        <DecisionDialog
          hold={hold}
          action={action}
          part={part}
          effect={effect.data}
          onClose={() => setAction(undefined)}
          onDecided={(verdict) => {
            setAction(undefined);
            onDecided(action, verdict);
          }}
        />
      )}
    </div>
  );
}

/** An approval that takes more accounts away needs a tick. */
const untickedLeavers = 10;

interface DialogProps extends Pick<BarProps, 'hold'> {
  readonly action: 'approve' | 'reject';
  readonly part: ReturnType<typeof orderPart>;
  readonly effect: Schemas['Effect'];
  readonly onClose: () => void;
  readonly onDecided: (verdict: Schemas['Verdict']) => void;
}

/** Says what will happen, asks for the reason, and decides exactly the changes that were counted. */
function DecisionDialog({ hold, action, part, effect, onClose, onDecided }: DialogProps) {
  const { api, t, f } = usePage();
  const isApproval = action === 'approve';
  const what = `${f.number(effect.changes)} ${classWord(t.words, hold.class, effect.changes)}`;
  const leaving = (effect.kinds.disable ?? 0) + (effect.kinds.remove ?? 0);
  const kinds = Object.entries(effect.kinds)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${wordOf(t.words.kind, kind)} ${f.number(count)}`)
    .join(' · ');
  return (
    <ConfirmDialog
      title={isApproval ? t.holds.approve(what) : t.holds.rejectTitle(what)}
      means={isApproval ? t.holds.approveMeans : t.holds.rejectMeans}
      isDanger={!isApproval}
      reason={isApproval ? 'optional' : 'required'}
      facts={
        <dl className="pairs">
          <Pair name={t.runs.changes}>{kinds}</Pair>
          {isApproval ? (
            <Pair name={t.holds.takes}>
              <EffectWords budget={effect.budget} />
            </Pair>
          ) : null}
          {effect.undeliverable > 0 && isApproval ? (
            <Pair className="needs">{t.holds.undeliverable(effect.undeliverable)}</Pair>
          ) : null}
        </dl>
      }
      onAct={(reason) => {
        const asked = { params: { path: { id: hold.id } }, body: { ...part, expect: effect.changes, ...reason } };
        return answerOf<Schemas['Verdict']>(
          isApproval ? api.POST('/api/holds/{id}/approve', asked) : api.POST('/api/holds/{id}/reject', asked),
        );
      }}
      onDone={onDecided}
      onClose={onClose}
    >
      {isApproval && leaving > untickedLeavers ? (
        <label className="check">
          <input type="checkbox" required />
          {t.holds.looked(leaving)}
        </label>
      ) : null}
    </ConfirmDialog>
  );
}

interface VerdictProps {
  readonly action: 'approve' | 'reject';
  readonly data: Schemas['Verdict'];
  readonly onDismiss: () => void;
}

/** What became of a decision, and what the sync does with it now. */
function VerdictBox({ action, data, onDismiss }: VerdictProps) {
  const { t } = usePage();
  const overview = useOverview();
  const sync = overview.data?.syncs.find(({ name }) => name === data.sync);
  // A rejection needs no second person.
  const isWaiting = data.changes === 0 && data.pending > 0;
  return (
    <Box
      look={(data.isDeploymentRunning && !isWaiting) || action === 'reject' ? 'good' : 'warn'}
      icon="ok"
      role="status"
      actions={<Button onClick={onDismiss}>{t.problem.dismiss}</Button>}
    >
      {isWaiting ? null : (
        <>
          <strong>{action === 'approve' ? t.holds.approved(data.changes) : t.holds.rejected(data.changes)}</strong>
          <p>
            {action === 'reject'
              ? t.holds.rejectedHint
              : data.isDeploymentRunning
                ? t.holds.approvedHint
                : t.holds.noDeployment}
          </p>
        </>
      )}
      {data.pending === 0 ? null : <p>{t.holds.pending(data.pending)}</p>}
      {data.reduced === 0 ? null : <p>{t.holds.reduced(data.reduced)}</p>}
      {action === 'reject' || data.frozenUntil === null ? null : (
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
