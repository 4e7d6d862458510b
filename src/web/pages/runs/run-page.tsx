import { useQuery } from '@tanstack/react-query';
import { answerOf } from '../../api/client.ts';
import { Link, pathTo, useRouter, withFilters } from '../../router/router.tsx';
import { usePage } from '../../state/page-context.tsx';
import { useMay } from '../../state/session.ts';
import { classWord, wordOf } from '../../texts/plural.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Counts } from '../../ui/counts.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { OutcomeBadge } from '../../ui/state-badges.tsx';
import { Ago, At } from '../../ui/time.tsx';
import { holdStateOf } from '../holds/hold-ends.tsx';
import { BatchTable } from './batch-table.tsx';
import { FailedPeople } from './failed-people.tsx';
import { FindingCauses } from './finding-causes.tsx';
import { RawTexts } from './raw-texts.tsx';
import { ReadDecision } from './read-decision.tsx';
import type { RunDetail } from './run-detail.ts';
import { Duration, ReadWords } from './run-table.tsx';
import { Timeline } from './timeline.tsx';

export function RunPage({ id }: { readonly id: string }) {
  const { api } = usePage();
  const run = useQuery({
    queryKey: ['run', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/runs/{id}', { signal, params: { path: { id } } })),
    refetchInterval: ({ state }) => (state.data?.endedAt === null ? 3000 : false),
  });
  return (
    <Loaded query={run} title={id}>
      {(data) => <RunBody run={data} />}
    </Loaded>
  );
}

function RunBody({ run }: { readonly run: RunDetail }) {
  const { t } = usePage();
  const reason = run.reasonNow;
  const changes = ['create', 'update', 'enable', 'disable', 'remove'] as const;
  const all = changes.reduce((sum, kind) => sum + run.counts[kind], 0);
  return (
    <>
      <p className="crumbs">
        <Link to="/runs">{t.runs.title}</Link> / <Link to={pathTo('syncs', run.sync)}>{run.sync}</Link>
      </p>
      <PageHead
        title={t.runs.run(run.sync)}
        beside={
          <>
            <OutcomeBadge outcome={run.outcome} phase={run.phase} />
            <code className="faint">{run.id}</code>
          </>
        }
        actions={<RunActions run={run} />}
      />
      <p className="why faint">
        <At at={run.startedAt} /> · <Duration run={run} /> · {wordOf(t.words.trigger, run.trigger)} ·{' '}
        <ReadWords run={run} /> · {run.connection}
      </p>
      {reason === null ? null : (
        <div className={run.outcome === 'failed' || run.outcome === 'partial' ? 'box bad' : 'box'}>
          <Icon name="warn" />
          <p className="break">{reason}</p>
        </div>
      )}
      {run.isCancelRequested && run.endedAt === null ? <p className="box warn">{t.runs.cancelAsked}</p> : null}
      <ReadDecision run={run} />
      {run.holds.length === 0 ? null : <Holds run={run} />}
      <Timeline run={run} />
      <section aria-labelledby="counts-title">
        <h2 id="counts-title">{t.runs.changes}</h2>
        <div className="card line">
          <Counts counts={run.counts} />
          <span className="faint">{t.runs.applied(run.counts.applied)}</span>
          {all === 0 ? null : (
            <Link className="button" to={`${pathTo('runs', run.id)}/changes`}>
              {t.runs.showChanges}
              <Icon name="right" />
            </Link>
          )}
        </div>
      </section>
      <FindingCauses run={run} />
      <FailedPeople run={run} />
      <BatchTable run={run} />
      <Facts run={run} />
      <RawTexts id={run.id} />
    </>
  );
}

function Holds({ run }: { readonly run: RunDetail }) {
  const { t, f } = usePage();
  const stateOf = (held: string, state: string) =>
    holdStateOf(
      state,
      run.heldEnds.filter(({ classes }) => classes.includes(held)),
    );
  return (
    <ul className="list holds">
      {run.holds.map(({ id, class: held, reason, count, state, expiresAt }) => (
        <li key={id}>
          <div className="grow">
            <strong>
              {f.number(count)} {classWord(t.words, held, count)}
            </strong>{' '}
            <span className="faint">
              {wordOf(t.words.holdState, stateOf(held, state))}
              {state === 'open' ? (
                <>
                  {' · '}
                  {t.holds.expires} <Ago at={expiresAt} />
                </>
              ) : null}
            </span>
            <div className="break">{reason}</div>
          </div>
          <Link className={state === 'open' ? 'button main' : 'button'} to={pathTo('holds', id)}>
            {state === 'open' ? t.overview.waiting.review(count) : t.runs.showHold}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function RunActions({ run }: { readonly run: RunDetail }) {
  const { api, t } = usePage();
  const { navigate } = useRouter();
  const mayAct = useMay('act');
  if (!mayAct) return null;
  const params = { path: { id: run.id } };
  if (run.endedAt !== null) {
    return (
      <ActionButton
        label={t.runs.retry}
        means={t.runs.retryMeans}
        onAct={() => answerOf(api.POST('/api/runs/{id}/retry', { params }))}
        onDone={() => navigate(withFilters('/runs', { sync: run.sync }))}
      />
    );
  }
  return run.isCancelRequested ? null : (
    <ActionButton
      label={t.runs.cancel}
      means={t.runs.cancelMeans}
      look="danger"
      hasReason
      onAct={(body) => answerOf(api.POST('/api/runs/{id}/cancel', { params, body }))}
    />
  );
}

/** What the run read, and the requests that it made. Other facts are its own notes. */
function Facts({ run }: { readonly run: RunDetail }) {
  const { t, f } = usePage();
  const facts = Object.entries(t.runs.figures).flatMap(([name, label]) => {
    const value = run.facts[name];
    return typeof value === 'number' ? [{ name, label, value }] : [];
  });
  const requests = Object.entries(run.requests);
  if (facts.length + requests.length === 0) return null;
  return (
    <section className="cards">
      {requests.length === 0 ? null : (
        <div className="card">
          <h2>{t.runs.requests}</h2>
          <dl className="pairs">
            {requests.map(([purpose, count]) => (
              <div key={purpose}>
                <dt>{purpose}</dt>
                <dd>{f.number(count)}</dd>
              </div>
            ))}
          </dl>
        </div>
      )}
      {facts.length === 0 ? null : (
        <div className="card">
          <h2>{t.runs.facts}</h2>
          <dl className="pairs">
            {facts.map(({ name, label, value }) => (
              <div key={name}>
                <dt>{label}</dt>
                <dd>{f.number(value)}</dd>
              </div>
            ))}
          </dl>
        </div>
      )}
    </section>
  );
}
