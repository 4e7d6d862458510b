import { keepPreviousData } from '@tanstack/react-query';
import type { Schemas } from '../api/schema.ts';
import { Link, pathTo, useFilter } from '../router/router.tsx';
import { usePage } from '../state/page-context.tsx';
import { usePages } from '../state/queries.ts';
import { wordOf } from '../texts/plural.ts';
import { DataTable, usePersonColumns } from '../ui/data-table.tsx';
import { SearchForm, SyncFilter } from '../ui/filters.tsx';
import { Empty, Loaded, LoadMore, PageHead } from '../ui/frame.tsx';
import { Ago } from '../ui/time.tsx';

type FoundPeople = Schemas['FoundPeople'];

const pageSize = 50;

/** Finds people by name, e-mail or identification. The search is in the address. */
export function PeoplePage({ asked }: { readonly asked: string }) {
  const { t } = usePage();
  const [sync] = useFilter('sync');
  const found = usePages(
    ['people', asked, sync],
    (api, offset: number | undefined, signal) =>
      api.GET('/api/people', { signal, params: { query: { q: asked, offset, limit: pageSize, sync } } }),
    { enabled: asked !== '', placeholderData: keepPreviousData },
  );
  return (
    <>
      <PageHead title={t.nav.people} />
      <SearchForm label={t.search.hint}>
        <SyncFilter />
      </SearchForm>
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
  const personColumns = usePersonColumns();
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
            ...personColumns,
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
