import type { Schemas } from '../api/schema.d.ts';
import { useMay } from '../shell/session.tsx';
import { usePage } from '../state/page-context.tsx';
import { useAnswer } from '../state/queries.ts';
import { Link, navigate, pathTo, withFilters } from '../state/router.tsx';
import { wordOf } from '../texts/plural.ts';
import { ActionButton, Box } from '../ui/actions.tsx';
import { Counts, changeKinds, Icon, OutcomeBadge } from '../ui/badges.tsx';
import { Dots, Loaded, PageHead, Pair, Section } from '../ui/frame.tsx';
import { At } from '../ui/time.tsx';
import { Expires, HoldEntry, holdStateOf } from './holds-page.tsx';
import { BatchTable, FailedPeople, FindingCauses, RawTexts } from './run-results.tsx';
import { Duration, ReadWords, useRun } from './runs-page.tsx';

type RunDetail = Schemas['RunDetail'];

export function RunPage({ id }: { readonly id: string }) {
  return (
    <Loaded query={useRun(id, 3000)} title={id}>
      {(run) => <RunBody run={run} />}
    </Loaded>
  );
}

function RunBody({ run }: { readonly run: RunDetail }) {
  const { t } = usePage();
  const reason = run.reasonNow;
  const all = changeKinds.reduce((sum, kind) => sum + run.counts[kind], 0);
  return (
    <>
      <p className="crumbs">
        <Link to="/runs">{t.nav.runs}</Link> / <Link to={pathTo('syncs', run.sync)}>{run.sync}</Link>
      </p>
      <PageHead
        title={t.runs.run(run.sync)}
        beside={
          <>
            <OutcomeBadge run={run} />
            <code className="faint">{run.id}</code>
          </>
        }
        actions={<RunActions run={run} />}
      />
      <p className="why faint">
        <Dots>
          <At at={run.startedAt} />
          <Duration run={run} />
          {wordOf(t.words.trigger, run.trigger)}
          <ReadWords run={run} />
          {run.connection}
          {run.undoes === null ? null : (
            <span>
              {t.runs.undoes} <Link to={pathTo('runs', run.undoes)}>{run.undoes}</Link>
            </span>
          )}
        </Dots>
      </p>
      {reason === null ? null : (
        <Box
          {...(run.outcome === 'failed' || (run.outcome === 'partial' && !run.isSuccess) ? { look: 'bad' } : {})}
          icon="warn"
        >
          {t.reason(reason)}
        </Box>
      )}
      {run.waiting === null ? null : <p className="box">{run.waiting.text}</p>}
      {run.isCancelRequested && run.endedAt === null ? <p className="box warn">{t.runs.cancelAsked}</p> : null}
      <ReadDecision run={run} />
      {run.holds.length === 0 ? null : <Holds run={run} />}
      <Timeline run={run} />
      <Section name="counts" title={t.runs.changes}>
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
      </Section>
      <FindingCauses run={run} />
      <FailedPeople run={run} />
      <BatchTable run={run} />
      <Facts run={run} />
      <RawTexts id={run.id} />
    </>
  );
}

function Holds({ run: { holds, heldEnds } }: { readonly run: RunDetail }) {
  return (
    <ul className="list holds">
      {holds.map((hold) => {
        const ends = heldEnds.filter(({ classes }) => classes.includes(hold.class));
        return (
          <HoldEntry key={hold.id} hold={hold} state={holdStateOf(hold.state, ends)}>
            {hold.state === 'open' ? <Expires at={hold.expiresAt} /> : null}
          </HoldEntry>
        );
      })}
    </ul>
  );
}

function RunActions({ run }: { readonly run: RunDetail }) {
  const { api, t } = usePage();
  const mayAct = useMay('act', run.sync);
  if (!mayAct) return null;
  const { id } = run;
  if (run.endedAt !== null) {
    const { applied, unverified } = run.counts;
    return (
      <>
        {applied + unverified === 0 ? null : (
          <ActionButton
            label={t.runs.undo}
            means={t.runs.undoMeans}
            reason="none"
            onAct={async () => {
              const preview = await api.post('/api/previews', {}, { sync: run.sync, undo: id });
              navigate(pathTo('previews', preview.id));
            }}
          />
        )}
        <ActionButton
          label={t.runs.retry}
          means={t.runs.retryMeans}
          onAct={(body) => api.post('/api/runs/{id}/retry', { id }, body)}
          onDone={() => navigate(withFilters('/runs', { sync: run.sync }))}
        />
      </>
    );
  }
  return run.isCancelRequested ? null : (
    <ActionButton
      label={t.runs.cancel}
      means={t.runs.cancelMeans}
      look="danger"
      onAct={(body) => api.post('/api/runs/{id}/cancel', { id }, body)}
    />
  );
}

/** What the run read, and the requests that it made. Other facts are its own notes. */
function Facts({ run }: { readonly run: RunDetail }) {
  const { t, f } = usePage();
  const facts = Object.entries(t.runs.figures).flatMap(([name, label]) => {
    const value = run.facts[name];
    return typeof value === 'number' && value > 0 ? [[label, value] as const] : [];
  });
  const cards = [
    [t.runs.requests, Object.entries(run.requests)],
    [t.runs.facts, facts],
  ] as const;
  const shown = cards.filter(([, figures]) => figures.length > 0);
  if (shown.length === 0) return null;
  return (
    <section className="cards">
      {shown.map(([title, figures]) => (
        <div key={title} className="card">
          <h2>{title}</h2>
          <dl className="pairs">
            {figures.map(([label, value]) => (
              <Pair key={label} name={label}>
                {f.number(value)}
              </Pair>
            ))}
          </dl>
        </div>
      ))}
    </section>
  );
}

/** Asks about a read that a guard doubts: many employees are missing, for example. */
function ReadDecision({ run }: { readonly run: RunDetail }) {
  const { api, t } = usePage();
  const mayAct = useMay('decide', run.sync);
  const holds = useAnswer('/api/holds', { sync: run.sync, limit: 1 }, { enabled: run.facts.isReadDoubted === true });
  if (holds.data?.reads.some((read) => read.run === run.id) !== true) return null;
  const doubt = typeof run.facts.doubt === 'string' ? run.facts.doubt : run.reason;
  return (
    <Box
      look="warn"
      icon="hand"
      actions={
        mayAct ? (
          <ActionButton
            label={t.runs.acceptRead}
            means={t.runs.acceptMeans(run.counts.held)}
            look="danger"
            onAct={(body) => api.post('/api/runs/{id}/approve', { id: run.id }, body)}
          />
        ) : null
      }
    >
      <strong>{t.runs.doubted}</strong>
      <p className="break">{doubt === null ? '' : t.reason(doubt)}</p>
      <p className="faint">{t.runs.doubtedHint}</p>
    </Box>
  );
}

/** Where the time of a run went, to scale. Delivering and checking alternate, so their times are sums. */
function Timeline({ run }: { readonly run: RunDetail }) {
  const { t, f } = usePage();
  if (run.timeline.length === 0) return null;
  return (
    <Section name="timeline" title={t.runs.timeline}>
      <div className="card">
        <div className="timeline">
          {run.timeline.map(({ phase, ms }) => (
            <span key={phase} className={phase} style={{ flexGrow: ms }} />
          ))}
        </div>
        <ol className="legend">
          {run.timeline.map(({ phase, ms, isCurrent }) => (
            <li key={phase} className={phase} aria-current={isCurrent ? 'step' : undefined}>
              {wordOf(t.words.phase, phase)} <strong>{f.duration(ms)}</strong>
            </li>
          ))}
        </ol>
      </div>
    </Section>
  );
}
