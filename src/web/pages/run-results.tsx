import { useState } from 'react';
import type { Schemas } from '../api/schema.d.ts';
import { ChangeList } from '../changes/change-list.tsx';
import { ChangeFilters, useChangeView } from '../changes/changes-view.tsx';
import type { ChangeView } from '../changes/subject.ts';
import { useChanges } from '../changes/use-changes.ts';
import { useMay } from '../shell/session.tsx';
import { usePage } from '../state/page-context.tsx';
import { useAnswer, usePages } from '../state/queries.ts';
import { Link, pathTo } from '../state/router.tsx';
import { wordOf } from '../texts/plural.ts';
import { Button } from '../ui/actions.tsx';
import { Badge, type Look, OutcomeBadge } from '../ui/badges.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Loaded, PageHead, Section } from '../ui/frame.tsx';
import { At } from '../ui/time.tsx';
import { useRun } from './runs-page.tsx';

type RunDetail = Schemas['RunDetail'];
type Cause = RunDetail['causes'][number];
type Finding = Cause['examples'][number];

/** Findings by code and cause, the most frequent first, each with examples and their line in the source. */
export function FindingCauses({ run }: { readonly run: RunDetail }) {
  const { t, f } = usePage();
  if (run.causes.length === 0) return null;
  return (
    <Section name="findings" title={t.runs.findings(run.findingsInAll)}>
      <ul className="list">
        {[...Map.groupBy(run.causes, ({ code }) => code)].map(([code, causes]) => (
          <li key={code} className="cause">
            <code>{code}</code>
            <strong>×{f.number(causes.reduce((sum, { count }) => sum + count, 0))}</strong>
            <div className="grow">
              {causes.map((cause) => (
                <CauseEntry key={cause.message} run={run} cause={cause} />
              ))}
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function CauseEntry({ run, cause }: { readonly run: RunDetail; readonly cause: Cause }) {
  const { t } = usePage();
  const [isAll, setAll] = useState(false);
  return (
    <>
      <div className="break">{cause.message}</div>
      {isAll ? <AllFindings run={run} cause={cause} /> : <Findings run={run} findings={cause.examples} />}
      {isAll || cause.count <= cause.examples.length ? null : (
        <Button look="bare" onClick={() => setAll(true)}>
          {t.runs.allFindings(cause.count)}
        </Button>
      )}
    </>
  );
}

/** Whom findings are about, and where in the source. Of some neither is known. */
function Findings({ run, findings }: { readonly run: RunDetail; readonly findings: readonly Finding[] }) {
  const placed = findings.filter(({ identification, at }) => identification !== null || at !== null);
  if (placed.length === 0) return null;
  return (
    <ul className="findings">
      {placed.map(({ identification, at }) => (
        <li key={`${identification} ${at}`}>
          {identification === null ? null : (
            <Link to={pathTo('people', run.sync, identification)}>{identification}</Link>
          )}{' '}
          <span className="faint">{at}</span>
        </li>
      ))}
    </ul>
  );
}

function AllFindings({ run, cause }: { readonly run: RunDetail; readonly cause: Cause }) {
  const params = { id: run.id, code: cause.code, cause: cause.message, limit: 200 };
  const all = usePages('/api/runs/{id}/findings', params, ({ findings }) => findings);
  return <Loaded query={all}>{({ rows }) => <Findings run={run} findings={rows} />}</Loaded>;
}

/** The people whose change failed: what was sent, and what the platform said. */
export function FailedPeople({ run }: { readonly run: RunDetail }) {
  const { t } = usePage();
  const view: ChangeView = { subject: { kind: 'run', id: run.id }, filter: { state: 'failed' }, order: {} };
  if (run.counts.failed === 0) return null;
  return (
    <Section name="failed" title={t.runs.failed(run.counts.failed)}>
      <ChangeList view={view} sync={run.sync} label={t.runs.failed(run.counts.failed)} choice={undefined} isShort />
      <p className="faint small">
        <Link to={`${pathTo('runs', run.id)}/changes?state=failed`}>{t.runs.showChanges}</Link>
      </p>
    </Section>
  );
}

type Batch = RunDetail['batches'][number];

/** The files of a run, what the platform said about each, and what became of their changes. */
export function BatchTable({ run }: { readonly run: RunDetail }) {
  const { t, f } = usePage();
  if (run.batches.length === 0) return null;
  const numberOf = (id: string): string => String(run.batches.find((one) => one.id === id)?.number ?? '');
  return (
    <Section name="files" title={t.runs.files}>
      <DataTable
        rows={run.batches}
        keyOf={({ id }) => id}
        columns={[
          {
            title: t.runs.file,
            kind: 'head',
            cell: ({ number, fileName, fileId, kind, parent }) => (
              <>
                {number} <span className="faint">{fileName ?? fileId ?? kind}</span>
                {parent === null ? null : <small className="faint">{t.runs.splitFrom(numberOf(parent))}</small>}
              </>
            ),
          },
          {
            title: t.runs.state,
            cell: (batch) => (
              <>
                <BatchBadge batch={batch} />
                {batch.reason === null ? null : <small className="faint break">{batch.reason}</small>}
              </>
            ),
          },
          { title: t.runs.rows, kind: 'number', cell: ({ size }) => f.number(size) },
          {
            title: t.runs.results,
            cell: ({ states }) =>
              Object.entries(states)
                .map(([state, count]) => `${f.number(count)} ${wordOf(t.words.changeState, state).toLowerCase()}`)
                .join(', '),
          },
          { title: t.runs.sent, cell: ({ sentAt }) => <At at={sentAt} /> },
          { title: t.runs.final, cell: ({ finalAt }) => <At at={finalAt} /> },
        ]}
      />
      <p className="faint small">
        <Link to={`${pathTo('runs', run.id)}/changes?by=state`}>{t.runs.showChanges}</Link>
      </p>
    </Section>
  );
}

function BatchBadge({ batch }: { readonly batch: Batch }) {
  const { t } = usePage();
  const hasFailed =
    (batch.states.failed ?? 0) + (batch.states.unresolved ?? 0) > 0 ||
    batch.final === 'failed' ||
    batch.state === 'unresolved';
  const look: Look = hasFailed ? ['bad', 'warn'] : batch.state === 'settled' ? ['good', 'ok'] : ['busy', 'run'];
  return (
    <Badge look={look}>
      {wordOf({ ...t.words.changeState, ...t.words.batchState }, batch.state)}
      {batch.final === null && batch.status === null ? '' : ` · ${batch.final ?? batch.status}`}
    </Badge>
  );
}

/** What other systems said in their own words. It may hold personal data, so it is read only when it is asked for. */
export function RawTexts({ id }: { readonly id: string }) {
  const { t } = usePage();
  const mayRead = useMay('raw');
  const [isOpen, setOpen] = useState(false);
  const texts = useAnswer('/api/runs/{id}/raw', { id }, { enabled: isOpen && mayRead });
  if (!mayRead) return null;
  return (
    <Section name="raw" title={t.runs.raw}>
      {isOpen ? (
        <Loaded query={texts}>
          {({ texts: list }) =>
            list.length === 0 ? (
              <p className="faint">{t.runs.noRaw}</p>
            ) : (
              <ul className="list">
                {list.map(({ at, about, text }) => (
                  <li key={`${at} ${about} ${text}`}>
                    <div className="grow">
                      <span className="faint small">
                        <At at={at} /> · {about}
                      </span>
                      <pre className="raw">{text}</pre>
                    </div>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      ) : (
        <Button onClick={() => setOpen(true)}>{t.runs.showRaw}</Button>
      )}
    </Section>
  );
}

export function RunChangesPage({ id }: { readonly id: string }) {
  const { t } = usePage();
  const query = useRun(id);
  const view = useChangeView('run', id);
  const { total } = useChanges(view);
  return (
    <Loaded query={query} title={id}>
      {(run) => (
        <>
          <p className="crumbs">
            <Link to="/runs">{t.nav.runs}</Link> / <Link to={pathTo('runs', id)}>{run.sync}</Link>
          </p>
          <PageHead
            title={t.runs.changesOf(run.sync)}
            beside={<OutcomeBadge run={run} />}
            actions={total === undefined ? undefined : <span className="faint">{t.runs.matching(total)}</span>}
          />
          <ChangeFilters view={view} hasStates />
          <ChangeList view={view} sync={run.sync} label={t.runs.changesOf(run.sync)} choice={undefined} />
        </>
      )}
    </Loaded>
  );
}
