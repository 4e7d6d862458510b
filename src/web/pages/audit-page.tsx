import { answerOf } from '../api/client.ts';
import type { paths } from '../api/schema.ts';
import { useMay } from '../shell/session.tsx';
import { usePage } from '../state/page-context.tsx';
import { useAnswer, usePages } from '../state/queries.ts';
import { Link, pathTo, useQueryOf } from '../state/router.tsx';
import { wordOf } from '../texts/plural.ts';
import { ActionButton } from '../ui/actions.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { DaysFilter, Filters, isFiltered, SyncFilter, TextFilter, WordFilter } from '../ui/filters.tsx';
import { Empty, Loaded, LoadMore, PageHead, Section } from '../ui/frame.tsx';
import { At } from '../ui/time.tsx';

type Query = Omit<NonNullable<paths['/api/audit']['get']['parameters']['query']>, 'limit' | 'cursor'>;

/** Who did what, newest first. */
export function AuditPage() {
  const { t } = usePage();
  const query = useQueryOf<Query>('sync', 'by', 'action', 'connection', 'run', 'since', 'until');
  const audit = usePages(['audit', query], (api, cursor: string | undefined, signal) =>
    api.GET('/api/audit', { signal, params: { query: { ...query, limit: 100, cursor } } }),
  );
  return (
    <>
      <PageHead title={t.nav.audit} />
      <Filters query={query}>
        <SyncFilter />
        <WordFilter name="action" label={t.audit.action} words={t.words.action} />
        <TextFilter name="by" label={t.audit.by} look="inline" />
        <DaysFilter />
      </Filters>
      <Loaded query={audit}>
        {({ pages }) => {
          const entries = pages.flatMap((page) => page.entries);
          if (entries.length === 0) return <Empty title={isFiltered(query) ? t.audit.noMatch : t.audit.none} />;
          return (
            <>
              <DataTable
                rows={entries}
                keyOf={({ id }) => id}
                columns={[
                  { title: t.alerts.at, className: 'nowrap', cell: ({ at }) => <At at={at} /> },
                  {
                    title: t.audit.by,
                    cell: ({ by, as }) => (
                      <>
                        <span className="break">{by}</span>
                        {as === null ? null : <small className="faint"> {t.audit.as(as)}</small>}
                      </>
                    ),
                  },
                  { title: t.audit.action, cell: ({ action }) => wordOf(t.words.action, action) },
                  {
                    title: t.audit.about,
                    cell: ({ sync, connection, run }) => (
                      <>
                        {sync === null ? connection : <Link to={pathTo('syncs', sync)}>{sync}</Link>}
                        {run === null ? null : (
                          <>
                            {' · '}
                            <Link to={pathTo('runs', run)}>{t.holds.run}</Link>
                          </>
                        )}
                      </>
                    ),
                  },
                  { title: t.audit.detail, className: 'long', cell: ({ detail }) => detail },
                  { title: t.act.reason, className: 'long', cell: ({ reason }) => reason },
                ]}
              />
              <LoadMore query={audit} />
            </>
          );
        }}
      </Loaded>
      {useMay('sessions') ? <SessionsSection /> : null}
    </>
  );
}

/** Who is signed in. An admin ends the session of a user who left, or of a lost machine. */
function SessionsSection() {
  const { api, t } = usePage();
  const sessions = useAnswer(['sessions'], (client, signal) => client.GET('/api/sessions', { signal }), {
    refetchInterval: 60_000,
  });
  return (
    <Section name="sessions" title={t.audit.sessions.title}>
      <Loaded query={sessions}>
        {({ sessions: list }) => (
          <DataTable
            rows={list}
            keyOf={({ id }) => id}
            columns={[
              { title: t.audit.by, cell: ({ name }) => <span className="break">{name}</span> },
              { title: t.audit.sessions.since, className: 'nowrap', cell: ({ createdAt }) => <At at={createdAt} /> },
              { title: t.audit.sessions.used, className: 'nowrap', cell: ({ usedAt }) => <At at={usedAt} /> },
              {
                title: '',
                cell: ({ id }) => (
                  <ActionButton
                    label={t.audit.sessions.end}
                    look="danger"
                    means={t.audit.sessions.means}
                    hasReason
                    onAct={(body) =>
                      answerOf(api.POST('/api/sessions/{name}/end', { params: { path: { name: id } }, body }))
                    }
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
