import { useCallback, useState } from 'react';
import type { Schemas } from '../api/schema.ts';
import { ChangesView, useChangeView } from '../changes/changes-view.tsx';
import { nothing } from '../changes/selection.ts';
import { Link, pathTo } from '../router/router.tsx';
import { usePage } from '../state/page-context.tsx';
import { useAnswer } from '../state/queries.ts';
import { useMay } from '../state/session.ts';
import { classWord } from '../texts/plural.ts';
import { Box } from '../ui/actions.tsx';
import { HoldBadge } from '../ui/badges.tsx';
import { Loaded, PageHead } from '../ui/frame.tsx';
import { Ago } from '../ui/time.tsx';
import { DecisionBar, VerdictBox } from './hold-decision.tsx';
import { HoldEnds, holdStateOf } from './hold-ends.tsx';

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
