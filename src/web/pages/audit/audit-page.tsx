import { useInfiniteQuery } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import { answerOf } from '../../api/client.ts';
import type { paths, Schemas } from '../../api/schema.ts';
import { Link, pathTo, useFilters } from '../../router/router.tsx';
import { usePage } from '../../state/page-context.tsx';
import { wordOf } from '../../texts/plural.ts';
import { Button } from '../../ui/button.tsx';
import { DayFilter } from '../../ui/day-filter.tsx';
import { Empty } from '../../ui/empty.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { SyncSelect } from '../../ui/sync-select.tsx';
import { At } from '../../ui/time.tsx';
import { WordSelect } from '../../ui/word-select.tsx';

type Query = NonNullable<paths['/api/audit']['get']['parameters']['query']>;
type Entry = Schemas['AuditPage']['entries'][number];

/** Who did what, newest first. */
export function AuditPage() {
  const { api, t } = usePage();
  const [filters, change] = useFilters();
  const given = (name: string): string | undefined => filters.get(name) ?? undefined;
  const query: Query = {
    sync: given('sync'),
    by: given('by'),
    action: given('action') as Query['action'],
    connection: given('connection'),
    run: given('run'),
    since: given('since'),
    until: given('until'),
  };
  const audit = useInfiniteQuery({
    queryKey: ['audit', query],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      answerOf<Schemas['AuditPage']>(
        api.GET('/api/audit', { signal, params: { query: { ...query, limit: 100, cursor: pageParam } } }),
      ),
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const names = Object.keys(query);
  const isFiltered = names.some((name) => given(name) !== undefined);
  return (
    <>
      <PageHead title={t.audit.title} />
      <div className="filters">
        <SyncSelect value={query.sync} onChange={(sync) => change({ sync })} />
        <WordSelect
          label={t.audit.action}
          value={query.action}
          words={t.words.action}
          onChange={(action) => change({ action })}
        />
        <WhoFilter value={query.by} onChange={(by) => change({ by })} />
        <DayFilter label={t.runs.since} edge="start" value={query.since} onChange={(since) => change({ since })} />
        <DayFilter label={t.runs.until} edge="end" value={query.until} onChange={(until) => change({ until })} />
        {isFiltered ? (
          <Button look="bare" onClick={() => change(Object.fromEntries(names.map((name) => [name, undefined])))}>
            {t.act.clear}
          </Button>
        ) : null}
      </div>
      <Loaded query={audit}>
        {({ pages }) => {
          const entries = pages.flatMap((page) => page.entries);
          if (entries.length === 0) return <Empty title={isFiltered ? t.audit.noMatch : t.audit.none} />;
          return (
            <>
              <AuditTable entries={entries} />
              <LoadMore query={audit} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function AuditTable({ entries }: { readonly entries: readonly Entry[] }) {
  const { t } = usePage();
  return (
    <div className="table">
      <table className="folding">
        <thead>
          <tr>
            <th scope="col">{t.alerts.at}</th>
            <th scope="col">{t.audit.by}</th>
            <th scope="col">{t.audit.action}</th>
            <th scope="col">{t.audit.about}</th>
            <th scope="col">{t.audit.detail}</th>
            <th scope="col">{t.act.reason}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ id, at, by, via, action, sync, connection, run, detail, reason }) => (
            <tr key={id}>
              <td data-label={t.alerts.at} className="nowrap">
                <At at={at} />
              </td>
              <td data-label={t.audit.by}>
                <span className="break">{by}</span>
                {via === null ? null : <small className="faint"> {t.audit.via(via)}</small>}
              </td>
              <td data-label={t.audit.action}>{wordOf(t.words.action, action)}</td>
              <td data-label={t.audit.about}>
                {sync === null ? connection : <Link to={pathTo('syncs', sync)}>{sync}</Link>}
                {run === null ? null : (
                  <>
                    {' · '}
                    <Link to={pathTo('runs', run)}>{t.holds.run}</Link>
                  </>
                )}
              </td>
              <td data-label={t.audit.detail} className="long">
                {detail}
              </td>
              <td data-label={t.act.reason} className="long">
                {reason}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function WhoFilter({
  value,
  onChange,
}: {
  readonly value: string | undefined;
  readonly onChange: (by: string) => void;
}) {
  const { t } = usePage();
  const field = useRef<HTMLInputElement>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onChange(field.current?.value.trim() ?? '');
  };
  return (
    <form onSubmit={submit}>
      <label className="inline">
        {t.audit.by}
        <input
          key={value}
          ref={field}
          defaultValue={value ?? ''}
          onBlur={(event) => onChange(event.target.value.trim())}
          autoComplete="off"
          spellCheck={false}
          size={14}
        />
      </label>
    </form>
  );
}
