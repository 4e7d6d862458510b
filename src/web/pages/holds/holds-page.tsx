import { useQuery } from '@tanstack/react-query';
import { answerOf } from '../../api/client.ts';
import type { Schemas } from '../../api/schema.ts';
import { Link, pathTo, useFilters } from '../../router/router.tsx';
import { usePage } from '../../state/page-context.tsx';
import { classWord, wordOf } from '../../texts/plural.ts';
import { Badge } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { SyncSelect } from '../../ui/sync-select.tsx';
import { Ago } from '../../ui/time.tsx';
import { EffectWords } from './effect-words.tsx';

type Hold = Schemas['HoldsPage']['holds'][number];

/** Everything that waits for a decision. */
export function HoldsPage() {
  const { api, t } = usePage();
  const [filters, change] = useFilters();
  const sync = filters.get('sync') ?? undefined;
  const holds = useQuery({
    queryKey: ['holds', sync],
    queryFn: ({ signal }) => answerOf(api.GET('/api/holds', { signal, params: { query: { sync, limit: 1 } } })),
    refetchInterval: 30_000,
  });
  return (
    <>
      <PageHead title={t.holds.title} />
      <div className="filters">
        <SyncSelect value={sync} onChange={(next) => change({ sync: next })} />
      </div>
      <Loaded query={holds}>
        {({ holds: list, reads }) => (
          <>
            {list.length + reads.length === 0 ? (
              <Empty title={t.overview.waiting.none}>
                <p>{t.holds.noneHint}</p>
              </Empty>
            ) : null}
            <ul className="list">
              {reads.map(({ run, sync: name, reason, startedAt }) => (
                <li key={run}>
                  <Badge tone="bad" icon="warn">
                    {t.holds.read}
                  </Badge>
                  <div className="grow">
                    <strong>{name}</strong> · {reason}
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
                <HoldEntry key={hold.id} hold={hold} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </>
  );
}

function HoldEntry({ hold }: { readonly hold: Hold }) {
  const { t, f } = usePage();
  return (
    <li>
      <HoldBadge state={hold.isApprovable ? 'open' : 'expired'} />
      <div className="grow">
        <strong>{hold.sync}</strong> · {f.number(hold.count)} {classWord(t.words, hold.class, hold.count)}
        <div className="break">{hold.reason}</div>
        <div className="faint small">
          {t.holds.heldSince} <Ago at={hold.heldAt} />
          {hold.isApprovable ? (
            <>
              {' · '}
              {t.holds.expires} <Ago at={hold.expiresAt} />
            </>
          ) : null}
          {hold.budget === null ? null : (
            <>
              {' · '}
              <EffectWords budget={hold.budget} />
            </>
          )}
        </div>
      </div>
      <Link className={hold.isApprovable ? 'button main' : 'button'} to={pathTo('holds', hold.id)}>
        {t.overview.waiting.review(hold.count)}
        <Icon name="right" />
      </Link>
    </li>
  );
}

export function HoldBadge({ state }: { readonly state: string }) {
  const { t } = usePage();
  const tone = state === 'open' ? 'warn' : state === 'approved' ? 'good' : 'quiet';
  return (
    <Badge tone={tone} icon={state === 'open' ? 'hand' : state === 'approved' ? 'ok' : 'clock'}>
      {wordOf(t.words.holdState, state)}
    </Badge>
  );
}
