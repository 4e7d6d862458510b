import { keepPreviousData } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import type { Schemas } from '../api/schema.ts';
import { Link, pathTo, useFilters } from '../router/router.tsx';
import { usePage } from '../state/page-context.tsx';
import { usePages } from '../state/queries.ts';
import { wordOf } from '../texts/plural.ts';
import { Button } from '../ui/actions.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { SyncSelect } from '../ui/filters.tsx';
import { Empty, Loaded, LoadMore, PageHead } from '../ui/frame.tsx';
import { Ago } from '../ui/time.tsx';

type FoundPeople = Schemas['FoundPeople'];

const pageSize = 50;

/** Finds people by name, e-mail or identification. The search is in the address. */
export function PeoplePage({ asked }: { readonly asked: string }) {
  const { t } = usePage();
  const [search, change] = useFilters();
  const sync = search.get('sync') ?? undefined;
  const field = useRef<HTMLInputElement>(null);
  const found = usePages(
    ['people', asked, sync],
    (api, offset: number | undefined, signal) =>
      api.GET('/api/people', { signal, params: { query: { q: asked, offset, limit: pageSize, sync } } }),
    { enabled: asked !== '', placeholderData: keepPreviousData },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    change({ q: field.current?.value.trim() });
  };
  return (
    <>
      <PageHead title={t.nav.people} />
      <form className="filters" onSubmit={submit}>
        <input
          key={asked}
          ref={field}
          type="search"
          className="text"
          defaultValue={asked}
          aria-label={t.search.hint}
          placeholder={t.search.hint}
          autoComplete="off"
          spellCheck={false}
        />
        <SyncSelect value={sync} onChange={(name) => change({ sync: name })} />
        <Button type="submit" look="main">
          {t.people.lookUp}
        </Button>
      </form>
      {asked === '' ? (
        <Empty title={t.people.hint} />
      ) : (
        <Loaded query={found}>
          {({ pages }) => (
            <>
              <Results asked={asked} pages={pages} />
              <LoadMore query={found} isInline />
            </>
          )}
        </Loaded>
      )}
    </>
  );
}

function Results({ asked, pages }: { readonly asked: string; readonly pages: readonly FoundPeople[] }) {
  const { t } = usePage();
  const words = t.people;
  const [first] = pages;
  if (first === undefined) return null;
  const people = pages.flatMap((page) => page.people);
  return (
    <>
      <p className="why faint" role="status">
        {words.found(first.total)} · <Searched syncs={first.syncs} />
      </p>
      {people.length === 0 ? (
        <Empty title={words.none}>
          {first.syncs.map(({ sync }) => (
            <p key={sync}>
              <Link to={pathTo('people', sync, asked)}>{words.explainAnyway(asked, sync)}</Link>
            </p>
          ))}
        </Empty>
      ) : (
        <DataTable
          rows={people}
          keyOf={({ sync, identification, side }) => `${sync} ${identification} ${side}`}
          columns={[
            {
              title: t.changes.columns.name,
              kind: 'head',
              cell: ({ sync, identification, name }) => (
                <Link to={pathTo('people', sync, identification)}>{name === '' ? identification : name}</Link>
              ),
            },
            { title: t.changes.columns.identification, cell: ({ identification }) => identification },
            { title: t.changes.columns.email, cell: ({ email }) => email },
            { title: t.overview.syncs.name, cell: ({ sync }) => sync },
            {
              title: words.source,
              cell: ({ side, standing }) =>
                side === 'source' ? (
                  wordOf(words.standings, standing)
                ) : (
                  <span className="faint">{wordOf(words.sides, side)}</span>
                ),
            },
            {
              title: words.platform,
              cell: ({ isOnPlatform }) =>
                isOnPlatform ? words.hasAccount : <span className="faint">{words.noAccount}</span>,
            },
          ]}
        />
      )}
    </>
  );
}

function Searched({ syncs }: Pick<FoundPeople, 'syncs'>) {
  const { t, f } = usePage();
  return syncs.map(({ sync, readAt, people }, i) => (
    <span key={sync}>
      {i === 0 ? '' : ' · '}
      {readAt === null ? (
        t.people.neverRead(sync)
      ) : (
        <>
          {t.people.asRead(sync, f.number(people))} <Ago at={readAt} />
        </>
      )}
    </span>
  ));
}
