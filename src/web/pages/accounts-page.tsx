import { keepPreviousData } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { ParamsOf } from '../api/client.ts';
import type { Schemas } from '../api/schema.d.ts';
import { useMay } from '../shell/session.tsx';
import { usePage } from '../state/page-context.tsx';
import { usePages } from '../state/queries.ts';
import { Link, pathTo, useFilter, useQueryOf } from '../state/router.tsx';
import { wordOf } from '../texts/plural.ts';
import { ActionButton, Box, Button } from '../ui/actions.tsx';
import { Badge, type Look } from '../ui/badges.tsx';
import { DataTable, usePersonColumns } from '../ui/data-table.tsx';
import { DayField, Filters, TextFilter } from '../ui/filters.tsx';
import { Empty, Loaded, PageHead, Section } from '../ui/frame.tsx';
import { Ago } from '../ui/time.tsx';

type AccountPage = Schemas['AccountPage'];
type Account = AccountPage['accounts'][number];

/** The accounts of a sync's platform: whose they are, why, and what can be decided. The filter is in the address. */
export function AccountsPage({ sync }: { readonly sync: string }) {
  const { t } = usePage();
  const words = t.accounts;
  const query = useQueryOf<Pick<ParamsOf<'get', '/api/syncs/{sync}/accounts'>, 'state' | 'q'>>('state', 'q');
  const found = usePages('/api/syncs/{sync}/accounts', { sync, ...query, limit: 50 }, ({ accounts }) => accounts, {
    placeholderData: keepPreviousData,
    cursor: 'offset',
  });
  return (
    <>
      <PageHead title={words.title(sync)} />
      <Filters query={query}>
        <TextFilter name="q" label={t.search.hint} />
      </Filters>
      <Loaded query={found}>
        {({ first, rows }) => (
          <>
            <StateTabs counts={first?.counts ?? {}} />
            <AccountTable sync={sync} readAt={first?.readAt ?? null} accounts={rows} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** The states as tabs, each with its count. An account is in one of them. */
function StateTabs({ counts }: Pick<AccountPage, 'counts'>) {
  const { t, f } = usePage();
  const [chosen = '', choose] = useFilter('state');
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const numbers: AccountPage['counts'] = { '': all, ...counts };
  const tabs = Object.entries({ '': t.act.all, ...t.accounts.states });
  return (
    <nav className="tabs" aria-label={t.runs.state}>
      {tabs.map(([state, word]) =>
        numbers[state] || state === chosen ? (
          <Button key={state} look="bare" aria-current={state === chosen} onClick={() => choose(state)}>
            {word} <strong>{f.number(numbers[state] ?? 0)}</strong>
          </Button>
        ) : null,
      )}
    </nav>
  );
}

function AccountTable({ sync, readAt, accounts }: Pick<AccountPage, 'sync' | 'accounts'> & { readAt: string | null }) {
  const { t } = usePage();
  const words = t.accounts;
  const personColumns = usePersonColumns();
  const [done, onDone] = useDone();
  return (
    <>
      <p className="why faint" role="status">
        {words.asRead} <Ago at={readAt} />
      </p>
      {done}
      <DataTable
        rows={accounts.map((account) => ({ ...account, sync }))}
        keyOf={({ identification }) => identification}
        empty={<Empty title={words.none} />}
        columns={[
          ...personColumns,
          { title: t.changes.columns.email, cell: ({ email }) => email },
          { title: words.account, cell: ({ isEnabled }) => (isEnabled ? words.enabled : words.disabled) },
          accounts.some(({ lastUpdate }) => lastUpdate !== null)
            ? { title: words.lastUpdate, cell: ({ lastUpdate }) => lastUpdate?.replace('T', ' ') }
            : null,
          { title: t.runs.state, cell: (account) => <Why sync={sync} account={account} /> },
          { title: '', cell: (account) => <AccountActions sync={sync} account={account} onDone={onDone} /> },
        ]}
      />
    </>
  );
}

interface AccountProps {
  readonly sync: string;
  readonly account: Account;
}

const looks: Readonly<Record<string, Look>> = { owned: ['good', 'ok'], unmanaged: ['warn', 'none'] };

/** Of an account that is simply owned, the badge says all. */
function Why({ sync, account: { state, isConflict, why, matches } }: AccountProps) {
  const { t } = usePage();
  const words = t.accounts;
  return (
    <span className="stack">
      <Badge look={looks[state] ?? ['quiet', 'right']}>{wordOf(words.states, state)}</Badge>
      {state === 'owned' && !isConflict ? null : <small className="faint break">{t.reason(why)}</small>}
      {matches.map(({ identification, by, hasAccount }) => (
        <Link key={identification} to={pathTo('people', sync, identification)}>
          {words.mayBe} {identification} ({wordOf(words.by, by)}){hasAccount ? `; ${words.hasOther}` : null}
        </Link>
      ))}
    </span>
  );
}

function AccountActions({ sync, account, onDone }: AccountProps & Pick<WayProps, 'onDone'>) {
  const words = usePage().t.accounts;
  const { identification: id, state, decision, isConflict, isEnabled } = account;
  if (!useMay('decide', sync) || state !== 'unmanaged' || isConflict) return null;
  const ways = (['leave', 'disable'] as const).filter((way) => way !== decision && (isEnabled || way !== 'disable'));
  return (
    <span className="actions">
      {ways.map((way) => (
        <WayButton
          key={way}
          {...{ sync, id, way, onDone }}
          label={words[way]}
          title={words[`${way}Title`]}
          means={words[`${way}Means`](id)}
        />
      ))}
    </span>
  );
}

type Pair = NonNullable<Schemas['Person']['pair']>;

/**
 * A person and an account that seem to be one, or a record of another person than its account: what can be decided, each
 * way with what it does.
 */
export function PairSection({ sync, pair }: { readonly sync: string; readonly pair: Pair }) {
  const { t } = usePage();
  const mayAct = useMay('decide', sync);
  const [done, onDone] = useDone();
  const { identification: id, other } = pair;
  const isStranger = id === other;
  const adopt = { way: 'adopt', effect: t.people.adoptMeans(id, other) } as const;
  const ways = isStranger ? pair.ways : [adopt, ...pair.ways];
  return (
    <Section className="card stretch" name="pair" title={isStranger ? t.people.stranger : t.people.pair}>
      <p className="faint">{isStranger ? t.people.strangerMeans(id) : t.people.pairMeans(id, other)}</p>
      {done}
      <ul className="list">
        {ways.map(({ way, effect }) => (
          <li key={way}>
            <span className="grow break">{effect}</span>
            {mayAct ? (
              <WayButton {...{ sync, id, way, onDone }} label={wordOf(t.people.ways, way)} means={effect} />
            ) : null}
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** What the newest decision here did. */
function useDone(): readonly [ReactNode, (told: string) => void] {
  const [told, onDone] = useState<string>();
  const box = (
    <Box look="good" icon="ok" role="status">
      {told}
    </Box>
  );
  return [told === undefined ? null : box, onDone];
}

interface WayProps {
  readonly sync: string;
  readonly id: string;
  readonly way: Pair['ways'][number]['way'] | 'adopt' | 'disable';
  readonly label: string;
  readonly title?: string;
  readonly means: string;
  readonly onDone: (told: string) => void;
}

/** Decides about an account. Asks for the reason, and for the end where the decision has one. */
function WayButton({ sync, id, way, onDone, ...words }: WayProps) {
  const { api, t } = usePage();
  const [until, setUntil] = useState<string>();
  const isOfAccount = way === 'leave' || way === 'disable';
  return (
    <ActionButton
      {...words}
      {...(['replace', 'disable', 'another'].includes(way) ? { look: 'danger' } : {})}
      reason={isOfAccount ? 'required' : 'optional'}
      onAct={(reason) => {
        const decision = way === 'adopt' ? {} : { way };
        const end = until === undefined ? {} : { until };
        return api.post('/api/syncs/{sync}/adopt', { sync }, { ids: [id], ...reason, ...decision, ...end });
      }}
      onDone={({ adoptions: [adoption] }) => {
        setUntil(undefined);
        onDone(`${adoption?.effect ?? ''}. ${adoption?.isDone === true ? t.people.nextRunActs : ''}`);
      }}
    >
      {isOfAccount ? <DayField label={t.people.until} value={until} edge="end" onChange={setUntil} /> : null}
    </ActionButton>
  );
}
