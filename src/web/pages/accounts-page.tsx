import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf } from '../api/client.ts';
import type { Schemas } from '../api/schema.ts';
import { useMay } from '../shell/session.tsx';
import { usePage } from '../state/page-context.tsx';
import { usePages } from '../state/queries.ts';
import { Link, pathTo, useQueryOf } from '../state/router.tsx';
import { wordOf } from '../texts/plural.ts';
import { Box, Button, ConfirmDialog } from '../ui/actions.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { DayField, SearchForm, WordFilter } from '../ui/filters.tsx';
import { Empty, Loaded, LoadMore, PageHead, Section } from '../ui/frame.tsx';
import { Ago } from '../ui/time.tsx';

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

interface Props {
  readonly sync: string;
  readonly pair: NonNullable<Schemas['Person']['pair']>;
}

type Way = Props['pair']['ways'][number]['way'] | 'adopt' | 'disable';

/** A person and an account that seem to be one: what can be decided about them, each way with what it does. */
export function PairSection({ sync, pair }: Props) {
  const { t } = usePage();
  const mayAct = useMay('decide', sync);
  const [way, setWay] = useState<Way>();
  const [done, setDone] = useState<string>();
  const { identification, other } = pair;
  const adopt = { way: 'adopt', effect: t.people.adoptMeans(identification, other) } as const;
  const ways: readonly { readonly way: Way; readonly effect: string }[] = [adopt, ...pair.ways];
  return (
    <Section className="card stretch" name="pair" title={t.people.pair}>
      <p className="faint">{t.people.pairMeans(identification, other)}</p>
      {done === undefined ? null : (
        <Box look="good" icon="ok" role="status">
          {done}
        </Box>
      )}
      <ul className="list">
        {ways.map((one) => (
          <li key={one.way}>
            <span className="grow break">{one.effect}</span>
            {mayAct ? <Button onClick={() => setWay(one.way)}>{wordOf(t.people.ways, one.way)}</Button> : null}
          </li>
        ))}
      </ul>
      {way === undefined ? null : (
        <WayDialog
          sync={sync}
          id={identification}
          way={way}
          title={wordOf(t.people.ways, way)}
          means={ways.find((one) => one.way === way)?.effect ?? ''}
          onClose={() => setWay(undefined)}
          onDone={(told) => {
            setWay(undefined);
            setDone(told);
          }}
        />
      )}
    </Section>
  );
}

interface DialogProps {
  readonly sync: string;
  readonly id: string;
  readonly way: Way;
  readonly title: string;
  readonly means: string;
  readonly onClose: () => void;
  readonly onDone: (told: string) => void;
}

/** Asks for the reason, and for the end where the decision has one. */
function WayDialog({ sync, id, way, title, means, onClose, onDone }: DialogProps) {
  const { api, t } = usePage();
  const [until, setUntil] = useState<string>();
  const isOfAccount = way === 'leave' || way === 'disable';
  return (
    <ConfirmDialog
      title={title}
      means={means}
      isDanger={way === 'replace' || way === 'disable'}
      reason={isOfAccount ? 'required' : 'optional'}
      onAct={async (reason) => {
        const body = {
          ids: [id],
          ...reason,
          ...(way === 'adopt' ? {} : { way }),
          ...(until === undefined ? {} : { until }),
        };
        const asked = { params: { path: { sync } }, body };
        const { adoptions } = await answerOf(api.POST('/api/syncs/{sync}/adopt', asked));
        return adoptions[0];
      }}
      onDone={(adoption) =>
        onDone(`${adoption?.effect ?? ''}. ${adoption?.isDone === true ? t.people.nextRunActs : ''}`)
      }
      onClose={onClose}
    >
      {isOfAccount ? <DayField label={t.people.until} value={until} edge="end" onChange={setUntil} /> : null}
    </ConfirmDialog>
  );
}
