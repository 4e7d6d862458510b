import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api/schema.ts';
import { Link, pathTo, useQueryOf } from '../router/router.tsx';
import { usePage } from '../state/page-context.tsx';
import { usePages } from '../state/queries.ts';
import { useMay } from '../state/session.ts';
import { wordOf } from '../texts/plural.ts';
import { Box, Button } from '../ui/actions.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { SearchForm, WordFilter } from '../ui/filters.tsx';
import { Empty, Loaded, LoadMore, PageHead } from '../ui/frame.tsx';
import { Ago } from '../ui/time.tsx';
import { type Way, WayDialog } from './pair-section.tsx';

type AccountPage = Schemas['AccountPage'];
type Account = AccountPage['accounts'][number];

const pageSize = 50;

/** The accounts of a sync's platform: whose they are, why, and what can be decided. The filter is in the address. */
export function AccountsPage({ sync }: { readonly sync: string }) {
  const { t } = usePage();
  const words = t.accounts;
  const { state: chosen, q } = useQueryOf<{ readonly state?: string; readonly q?: string }>('state', 'q');
  const filter =
    chosen === 'conflict' ? ({ conflict: 'true' } as const) : { state: chosen as Account['state'] | undefined };
  const found = usePages(
    ['accounts', sync, chosen, q],
    (api, after: string | undefined, signal) => {
      const query = { ...filter, q, after, limit: pageSize };
      return api.GET('/api/syncs/{sync}/accounts', { signal, params: { path: { sync }, query } });
    },
    { placeholderData: keepPreviousData },
  );
  return (
    <>
      <PageHead title={words.title(sync)} />
      <SearchForm label={words.search}>
        <WordFilter name="state" label={words.state} words={words.states} />
      </SearchForm>
      <Loaded query={found}>
        {({ pages }) => (
          <>
            <AccountTable sync={sync} pages={pages} />
            <LoadMore query={found} isInline />
          </>
        )}
      </Loaded>
    </>
  );
}

function AccountTable({ sync, pages }: { readonly sync: string; readonly pages: readonly AccountPage[] }) {
  const { t } = usePage();
  const words = t.accounts;
  const mayAct = useMay('decide', sync);
  const [asked, ask] = useState<{ readonly id: string; readonly way: Way }>();
  const [done, setDone] = useState<string>();
  const [first] = pages;
  if (first === undefined) return null;
  const accounts = pages.flatMap((page) => page.accounts);
  return (
    <>
      <p className="why faint" role="status">
        {words.asRead} <Ago at={first.readAt} />
      </p>
      {done === undefined ? null : (
        <Box look="good" icon="ok" role="status">
          {done}
        </Box>
      )}
      {accounts.length === 0 ? (
        <Empty title={words.none} />
      ) : (
        <DataTable
          rows={accounts}
          keyOf={({ identification }) => identification}
          columns={[
            {
              title: t.changes.columns.identification,
              kind: 'head',
              cell: ({ identification }) => <Link to={pathTo('people', sync, identification)}>{identification}</Link>,
            },
            { title: t.changes.columns.name, cell: ({ name }) => name },
            { title: t.changes.columns.email, cell: ({ email }) => email },
            { title: words.account, cell: ({ isEnabled }) => (isEnabled ? words.enabled : words.disabled) },
            { title: words.lastUpdate, cell: ({ lastUpdate }) => lastUpdate?.replace('T', ' ') },
            { title: words.state, cell: ({ state, why, matches }) => <Why sync={sync} {...{ state, why, matches }} /> },
            {
              title: '',
              cell: ({ identification: id, state, decision, isConflict, isEnabled }) =>
                mayAct && state === 'unmanaged' && !isConflict ? (
                  <span className="actions">
                    {decision === 'leave' ? null : (
                      <Button onClick={() => ask({ id, way: 'leave' })}>{words.leave}</Button>
                    )}
                    {decision === 'disable' || !isEnabled ? null : (
                      <Button onClick={() => ask({ id, way: 'disable' })}>{words.disable}</Button>
                    )}
                  </span>
                ) : null,
            },
          ]}
        />
      )}
      {asked === undefined ? null : (
        <WayDialog
          sync={sync}
          {...asked}
          title={asked.way === 'disable' ? words.disableTitle : words.leaveTitle}
          means={asked.way === 'disable' ? words.disableMeans(asked.id) : words.leaveMeans(asked.id)}
          onClose={() => ask(undefined)}
          onDone={(told) => {
            ask(undefined);
            setDone(told);
          }}
        />
      )}
    </>
  );
}

function Why({ sync, state, why, matches }: Pick<Account, 'state' | 'why' | 'matches'> & { readonly sync: string }) {
  const { t } = usePage();
  const words = t.accounts;
  return (
    <span className="stack">
      {wordOf(words.states, state)}
      <small className="faint break">{t.reason(why)}</small>
      {matches.map(({ identification, by, hasAccount }) => (
        <Link key={identification} to={pathTo('people', sync, identification)}>
          {words.mayBe} {identification} ({wordOf(words.by, by)}){hasAccount ? `; ${words.hasOther}` : null}
        </Link>
      ))}
    </span>
  );
}
