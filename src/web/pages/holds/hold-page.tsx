import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { answerOf } from '../../api/client.ts';
import type { Schemas } from '../../api/schema.ts';
import { ChangeFilters } from '../../changes/change-filters.tsx';
import { ChangeList } from '../../changes/change-list.tsx';
import { everything } from '../../changes/selection.ts';
import { type ChangeOrder, filterOf, orderOf } from '../../changes/subject.ts';
import { Link, pathTo, useFilters } from '../../router/router.tsx';
import { usePage } from '../../state/page-context.tsx';
import { useMay } from '../../state/session.ts';
import { classWord } from '../../texts/plural.ts';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Ago } from '../../ui/time.tsx';
import { DecisionBar } from './decision-bar.tsx';
import { HoldEnds, holdStateOf } from './hold-ends.tsx';
import { HoldBadge } from './holds-page.tsx';
import { VerdictBox } from './verdict-box.tsx';

type Hold = Schemas['HoldDetail'];

/** One hold: who, what differs, and the decision. */
export function HoldPage({ id }: { readonly id: string }) {
  const { api } = usePage();
  const hold = useQuery({
    queryKey: ['hold', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/holds/{id}', { signal, params: { path: { id } } })),
  });
  return (
    <Loaded query={hold} title={id}>
      {(data) => <HoldBody hold={data} />}
    </Loaded>
  );
}

function HoldBody({ hold }: { readonly hold: Hold }) {
  const { t, f } = usePage();
  const mayAct = useMay('act');
  const [search, change] = useFilters();
  const filter = useMemo(() => filterOf(search), [search]);
  const order = useMemo(() => orderOf(search), [search]);
  const [selection, setSelection] = useState(everything);
  const [total, setTotal] = useState(hold.count);
  const [verdict, setVerdict] = useState<{
    readonly action: 'approve' | 'reject';
    readonly data: Schemas['Verdict'];
  }>();
  const onOrder = useCallback((next: ChangeOrder) => change({ sort: next.sort, order: next.order }), [change]);
  const subject = useMemo(() => ({ kind: 'hold' as const, id: hold.id }), [hold.id]);
  const shown = hold.isApprovable || hold.state === 'open' ? hold.count : hold.size;
  const what = `${f.number(shown)} ${classWord(t.words, hold.class, shown)}`;
  const isDecidable = mayAct && hold.isApprovable && hold.count > 0;
  return (
    <>
      <p className="crumbs">
        <Link to="/holds">{t.holds.title}</Link> / <Link to={pathTo('syncs', hold.sync)}>{hold.sync}</Link>
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
        {hold.reason} <span className="faint">·</span> <Link to={pathTo('runs', hold.run.id)}>{t.holds.run}</Link>{' '}
        <span className="faint">
          <Ago at={hold.heldAt} />
        </span>
      </p>
      {verdict === undefined ? null : <VerdictBox {...verdict} onDismiss={() => setVerdict(undefined)} />}
      <HoldEnds hold={hold} />
      {hold.isApprovable || hold.state !== 'open' ? null : (
        <div className="box warn">
          <Icon name="clock" />
          <p>{t.holds.expiredHint}</p>
        </div>
      )}
      <div className="stretch">
        <ChangeFilters
          subject={subject}
          filter={filter}
          order={order}
          by={search.get('by') ?? undefined}
          onChange={change}
        />
        <ChangeList
          subject={subject}
          sync={hold.sync}
          filter={filter}
          order={order}
          label={t.holds.list}
          onOrder={onOrder}
          onTotal={setTotal}
          {...(isDecidable ? { choice: { selection, onChange: setSelection } } : {})}
        />
        {isDecidable ? (
          <DecisionBar
            hold={hold}
            filter={filter}
            selection={selection}
            total={total}
            onDecided={(action, data) => {
              setVerdict({ action, data });
              setSelection(everything);
            }}
          />
        ) : (
          <p className="faint small counted">{t.changes.shown(total, hold.count)}</p>
        )}
      </div>
    </>
  );
}
