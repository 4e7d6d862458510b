import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import { answerOf } from '../../api/client.ts';
import type { Schemas } from '../../api/schema.ts';
import { Link, pathTo, useFilters } from '../../router/router.tsx';
import { usePage } from '../../state/page-context.tsx';
import { wordOf } from '../../texts/plural.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { SyncSelect } from '../../ui/sync-select.tsx';
import { Ago } from '../../ui/time.tsx';

type FoundPeople = Schemas['FoundPeople'];

const pageSize = 50;

/** Finds people by name, e-mail or identification. The search is in the address. */
export function PeoplePage({ asked }: { readonly asked: string }) {
  const { api, t } = usePage();
  const [search, change] = useFilters();
  const sync = search.get('sync') ?? undefined;
  const field = useRef<HTMLInputElement>(null);
  const found = useInfiniteQuery({
    queryKey: ['people', asked, sync],
    queryFn: ({ signal, pageParam }) => {
      const query = { q: asked, offset: pageParam, limit: pageSize, ...(sync === undefined ? {} : { sync }) };
      return answerOf(api.GET('/api/people', { signal, params: { query } }));
    },
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next ?? undefined,
    enabled: asked !== '',
    placeholderData: keepPreviousData,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    change({ q: field.current?.value.trim() });
  };
  return (
    <>
      <PageHead title={t.people.title} />
      <form className="filters" onSubmit={submit}>
        <input
          key={asked}
          ref={field}
          type="search"
          className="text"
          defaultValue={asked}
          aria-label={t.people.label}
          placeholder={t.people.label}
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
              {found.hasNextPage ? (
                <Button onClick={() => void found.fetchNextPage()} isBusy={found.isFetchingNextPage}>
                  {t.act.loadMore}
                </Button>
              ) : null}
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
        <div className="table">
          <table className="folding">
            <thead>
              <tr>
                <th scope="col">{words.name}</th>
                <th scope="col">{words.identification}</th>
                <th scope="col">{words.email}</th>
                <th scope="col">{t.overview.syncs.name}</th>
                <th scope="col">{words.source}</th>
                <th scope="col">{words.platform}</th>
              </tr>
            </thead>
            <tbody>
              {people.map(({ sync, identification, name, email, side, standing, isOnPlatform }) => (
                <tr key={`${sync} ${identification} ${side}`}>
                  <th scope="row">
                    <Link to={pathTo('people', sync, identification)}>{name === '' ? identification : name}</Link>
                  </th>
                  <td data-label={words.identification}>{identification}</td>
                  <td data-label={words.email}>{email}</td>
                  <td data-label={t.overview.syncs.name}>{sync}</td>
                  <td data-label={words.source}>
                    {side === 'source' ? (
                      wordOf(words.standings, standing)
                    ) : (
                      <span className="faint">{wordOf(words.sides, side)}</span>
                    )}
                  </td>
                  <td data-label={words.platform}>
                    {isOnPlatform ? words.hasAccount : <span className="faint">{words.noAccount}</span>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
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
