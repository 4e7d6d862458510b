import { keepPreviousData } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import type { Schemas } from '../api/schema.d.ts';
import { usePage } from '../state/page-context.tsx';
import { useAnswer, usePages } from '../state/queries.ts';
import { Link, pathTo, useFilter, withFilters } from '../state/router.tsx';
import { wordOf } from '../texts/plural.ts';
import { Button } from '../ui/actions.tsx';
import { Icon, KindMark, StateBadge } from '../ui/badges.tsx';
import { DataTable, usePersonColumns, Value } from '../ui/data-table.tsx';
import { Filters, SyncFilter, TextFilter } from '../ui/filters.tsx';
import { Dots, Empty, Loaded, PageHead, Section } from '../ui/frame.tsx';
import { Ago, At } from '../ui/time.tsx';
import { PairSection } from './accounts-page.tsx';
import { PeopleLists } from './people-lists.tsx';
import { SyncNow } from './preview-orders.tsx';

/** Finds people by name, e-mail or identification. The search is in the address. */
export function PeoplePage() {
  const { t } = usePage();
  const [q] = useFilter('q');
  const [sync] = useFilter('sync');
  const found = usePages('/api/people', { q, sync, limit: 50 }, ({ people }) => people, {
    enabled: q !== undefined,
    placeholderData: keepPreviousData,
    cursor: 'offset',
  });
  return (
    <>
      <PageHead title={t.nav.people} />
      <Filters query={{ q, sync }}>
        <TextFilter name="q" label={t.search.hint} />
        <SyncFilter />
      </Filters>
      {q === undefined ? (
        <PeopleLists />
      ) : (
        <Loaded query={found}>
          {({ first, rows }) => (
            <Results asked={q} syncs={first?.syncs ?? []} total={first?.total ?? 0} people={rows} />
          )}
        </Loaded>
      )}
    </>
  );
}

type ResultProps = Pick<Schemas['FoundPeople'], 'syncs' | 'total' | 'people'> & { readonly asked: string };

function Results({ asked, syncs, total, people }: ResultProps) {
  const { t, f } = usePage();
  const words = t.people;
  return (
    <>
      <p className="why faint" role="status">
        <Dots>
          {words.found(total)}
          {syncs.map(({ sync, readAt, people: read }) => (
            <span key={sync}>
              {readAt === null ? words.neverRead(sync) : words.asRead(sync, f.number(read))}{' '}
              {readAt === null ? null : <Ago at={readAt} />}
            </span>
          ))}
        </Dots>
      </p>
      <DataTable
        rows={people}
        keyOf={({ sync, identification, side }) => `${sync} ${identification} ${side}`}
        empty={
          <Empty
            title={words.none}
            hint={syncs.map(({ sync }, i) => (
              <Fragment key={sync}>
                {i === 0 ? null : <br />}
                <Link to={pathTo('people', sync, asked)}>{words.explainAnyway(asked, sync)}</Link>
              </Fragment>
            ))}
          />
        }
        columns={[
          ...usePersonColumns(),
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
    </>
  );
}

interface Props {
  readonly sync: string;
  readonly id: string;
}

/** Why a person is as they are. The stored history is shown also when the source cannot be read. */
export function PersonPage({ sync, id }: Props) {
  const { t } = usePage();
  const why = useAnswer(
    '/api/syncs/{sync}/people/{identification}',
    { sync, identification: id },
    { retry: false, staleTime: 60_000 },
  );
  return (
    <>
      <p className="crumbs">
        <Link to="/people">{t.nav.people}</Link> / <Link to={pathTo('syncs', sync)}>{sync}</Link>
      </p>
      <PageHead title={nameOf(why.data) || id} beside={<code>{id}</code>} />
      <Section name="why" title={t.people.why}>
        <Loaded query={why}>{(data) => <Why person={data} />}</Loaded>
      </Section>
      {why.data === undefined ? null : <HeldChange sync={sync} person={why.data} />}
      {why.data?.pair == null ? null : <PairSection sync={sync} pair={why.data.pair} />}
      <SyncNow sync={sync} id={id} />
      <History sync={sync} id={id} />
    </>
  );
}

function Why({ person }: { readonly person: Schemas['Person'] }) {
  const { t } = usePage();
  return (
    <>
      <p className="box">
        <Icon name="right" />
        <span className="grow break">
          <strong>{person.answer}</strong>
          <br />
          <span className="faint">{person.next}</span>
        </span>
      </p>
      <Values values={person.values} />
      <PersonSteps steps={person.steps} />
      <details className="stretch everything">
        <summary>{t.people.everything}</summary>
        <pre className="raw">{JSON.stringify(person, null, 2)}</pre>
      </details>
    </>
  );
}

/** Leads from a person whose change is held to the hold that has it, with the person found. */
function HeldChange({ sync, person: { identification, change, steps } }: { sync: string; person: Schemas['Person'] }) {
  const { t } = usePage();
  const isHeld = steps.some(({ step, state, run }) => step === 'guard' && state === 'stopped' && run !== null);
  const holds = useAnswer('/api/holds', { sync, limit: 1 }, { enabled: isHeld });
  const hold = holds.data?.holds.find((one) => one.isApprovable && change?.classes.includes(one.class) === true);
  if (!isHeld || hold === undefined) return null;
  return (
    <p className="more">
      <Link className="button main" to={withFilters(pathTo('holds', hold.id), { text: identification })}>
        {t.people.reviewHeld}
        <Icon name="right" />
      </Link>
    </p>
  );
}

/** What HR says, what is sent, and what the platform has, field by field. */
function Values({ values }: { readonly values: Schemas['Person']['values'] }) {
  const { t } = usePage();
  const { hr, sent, platform, kept, written } = t.people.values;
  if (values.length === 0) return null;
  return (
    <DataTable
      rows={values}
      keyOf={({ field }) => field}
      caption={t.people.values.caption}
      columns={[
        { title: t.mapping.field, kind: 'head', cell: ({ field }) => wordOf(t.words.field, field) },
        { title: hr, cell: ({ source, origin }) => <span title={origin}>{source ?? '–'}</span> },
        {
          title: sent,
          cell: ({ sent: value, note }) =>
            value === null ? (
              <span className="faint" title={note ?? ''}>
                {kept}
              </span>
            ) : (
              <Value text={value} />
            ),
        },
        {
          title: platform,
          cell: (row) =>
            row.written === null ? (row.platform ?? '–') : <span className="faint">{written(row.written)}</span>,
        },
      ]}
    />
  );
}

function History({ sync, id }: Props) {
  const { t } = usePage();
  const params = { sync, identification: id, limit: 50 };
  const history = useAnswer('/api/syncs/{sync}/people/{identification}/history', params);
  return (
    <Section name="history" title={t.people.history}>
      <Loaded query={history}>
        {({ history: list, told }) =>
          list.length + told.length === 0 ? (
            <Empty title={t.people.noHistory} />
          ) : (
            <ul className="list">
              {timeline(list, told).map(({ run, at, change, text }) => (
                <li key={`${at} ${run} ${change?.hash ?? text}`}>
                  {change === null ? <Icon name="user" /> : <KindMark kind={change.kind} />}
                  <div className="grow break">
                    {run === null ? (
                      <At at={at} />
                    ) : (
                      <Link to={pathTo('runs', run)}>
                        <At at={at} />
                      </Link>
                    )}{' '}
                    · {change === null ? null : <>{wordOf(t.words.changeState, change.state)} · </>}
                    <span className="faint">{t.reason(text)}</span>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

type Past = Schemas['PersonPast'];

/** What was done with a person and what was said of them, newest first. */
function timeline(history: Past['history'], told: Past['told']) {
  const done = history.map((change) => {
    const { run, at, stateReason, reason } = change;
    return { run, at, change, text: stateReason ?? reason };
  });
  const said = told.map((note) => ({ ...note, change: null }));
  return [...done, ...said].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}

/** The name that the mapping gives the person. */
function nameOf(person: Schemas['Person'] | undefined): string {
  const values = person?.steps.find(({ step }) => step === 'mapping')?.details ?? [];
  const textOf = (field: string): string => values.find(({ name }) => name === field)?.value ?? '';
  return `${textOf('firstName')} ${textOf('lastName')}`.trim();
}

type Step = Schemas['Person']['steps'][number];

/** The way of a person in order: where it ends is what keeps a change from the platform. What passed is folded. */
function PersonSteps({ steps }: { readonly steps: readonly Step[] }) {
  const { t } = usePage();
  const [isAll, setAll] = useState(false);
  const isFolded = ({ state, step, details }: Step) =>
    state === 'ok' && (step !== 'difference' || details.length === 0);
  const shown = isAll ? steps : steps.filter((step) => !isFolded(step));
  return (
    <>
      <ol className="steps">
        {shown.map(({ step, state, summary, run, details }) => (
          <li key={step} className={state}>
            <div className="line">
              <strong>{wordOf(t.people.steps, step)}</strong>
              <StateBadge of="step" state={state} />
              <span className="grow break">{summary}</span>
              {run === null ? null : <Link to={pathTo('runs', run)}>{t.people.run}</Link>}
            </div>
            {details.length === 0 ? null : (
              <details open={state === 'stopped' || step === 'difference'}>
                <summary>{t.people.details(details.length)}</summary>
                <StepDetails step={{ step, details }} />
              </details>
            )}
          </li>
        ))}
      </ol>
      {shown.length === steps.length ? null : (
        <Button look="bare" onClick={() => setAll(true)}>
          {t.people.passed(steps.length - shown.length)}
        </Button>
      )}
    </>
  );
}

function StepDetails({ step: { step, details } }: { readonly step: Pick<Step, 'step' | 'details'> }) {
  const { t } = usePage();
  const isDifference = step === 'difference';
  const hasOrigins = !isDifference && details.some(({ origin }) => origin !== undefined);
  return (
    <DataTable
      look="diff"
      rows={details}
      keyOf={({ name, value }) => `${name} ${value}`}
      columns={[
        { title: '', kind: 'head', cell: ({ name }) => wordOf(t.words.field, name) },
        isDifference ? { title: '', cell: ({ before }) => <Value text={before} as="del" /> } : undefined,
        hasOrigins ? { title: '', className: 'faint', cell: ({ origin }) => origin } : undefined,
        { title: '', cell: ({ value }) => <Value text={value} {...(isDifference ? { as: 'ins' } : {})} /> },
      ]}
    />
  );
}
