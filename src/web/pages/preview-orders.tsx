import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { ChangeDetails } from '../changes/change-row.tsx';
import { useChanges } from '../changes/use-changes.ts';
import { useMay } from '../shell/session.tsx';
import { useFollowed } from '../state/live.ts';
import { usePage } from '../state/page-context.tsx';
import { useAnswer } from '../state/queries.ts';
import { Link, navigate, pathTo } from '../state/router.tsx';
import { wordOf } from '../texts/plural.ts';
import { ActionButton, Button, ProblemBox } from '../ui/actions.tsx';
import { KindMark, OutcomeBadge } from '../ui/badges.tsx';
import { Loaded, Section } from '../ui/frame.tsx';
import { PreviewProgress, usePreview } from './preview-page.tsx';

interface Props {
  readonly sync: string;
  readonly id: string;
}

/** Syncs one person: first what will happen, then on a second press the run, step by step. */
export function SyncNow({ sync, id }: Props) {
  const { api, t } = usePage();
  const mayAct = useMay('act', sync);
  const preview = useMutation({ mutationFn: () => api.post('/api/previews', {}, { sync, users: [id] }) });
  const order = (label: string, look: 'main' | 'plain') => (
    <Button look={look} isBusy={preview.isPending} onClick={() => preview.mutate()}>
      {label}
    </Button>
  );
  if (!mayAct) return null;
  return (
    <Section className="card stretch sync-now" name="sync-now" title={t.people.syncNow}>
      <p className="faint">{t.people.syncNowMeans}</p>
      <ProblemBox error={preview.error} />
      {preview.data === undefined ? (
        order(t.people.previewFirst, 'main')
      ) : (
        <Previewed
          key={preview.data.id}
          {...{ sync, id }}
          preview={preview.data.id}
          again={order(t.people.previewAgain, 'plain')}
        />
      )}
    </Section>
  );
}

/** What will happen, and the run. Only what was shown is done: before the preview is made there is no button. */
function Previewed({ sync, id, preview, again }: Props & { readonly preview: string; readonly again: ReactNode }) {
  const { api, t } = usePage();
  const query = usePreview(preview);
  const run = useMutation({ mutationFn: () => api.post('/api/syncs/{sync}/runs', { sync }, { users: [id] }) });
  return (
    <Loaded query={query}>
      {(data) => (
        <>
          <ProblemBox error={run.error} />
          <PreviewProgress preview={data} />
          {data.report === null ? null : data.report.failure === null ? (
            <PreviewedChange sync={sync} preview={preview} />
          ) : (
            <p className="needs break">{data.report.failure}</p>
          )}
          <p className="small">
            <Link to={pathTo('previews', preview)}>{t.previews.open}</Link>
          </p>
          {run.data === undefined ? (
            <div className="actions">
              {again}
              {data.state === 'done' && data.report?.failure === null ? (
                <Button look="main" isBusy={run.isPending} onClick={() => run.mutate()}>
                  {t.syncs.run}
                </Button>
              ) : null}
            </div>
          ) : (
            <Running request={run.data.trigger} />
          )}
        </>
      )}
    </Loaded>
  );
}

function PreviewedChange({ sync, preview: id }: { readonly sync: string; readonly preview: string }) {
  const { t } = usePage();
  const rows = useChanges({ subject: { kind: 'preview', id }, filter: {}, order: {} });
  const change = rows.rowAt(0);
  if (rows.total === undefined) return <p className="faint">{t.loading}</p>;
  if (change === undefined) return <p>{t.people.nothingToDo}</p>;
  return (
    <>
      <p>
        <KindMark kind={change.kind} /> {change.state === 'held' ? t.people.wouldBeHeld : ''}
      </p>
      <ChangeDetails change={change} sync={sync} />
    </>
  );
}

const phases: readonly string[] = ['reading', 'planning', 'delivering', 'proving', 'done'];

/** The steps of the run, live. */
function Running({ request }: { readonly request: string }) {
  const { t } = usePage();
  const client = useQueryClient();
  const state = useAnswer('/api/requests/{id}', { id: request });
  useFollowed('request', request);
  const isOver = state.data?.state === 'ended' || state.data?.state === 'canceled';
  useEffect(() => {
    if (isOver) client.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[0]).includes('/people/{') });
  }, [client, isOver]);
  return (
    <Loaded query={state}>
      {({ state: word, run, result }) => {
        const at = run === null ? -1 : phases.indexOf(run.phase);
        return (
          <div role="status">
            <ol className="phases">
              {phases.slice(0, -1).map((phase, i) => (
                <li
                  key={phase}
                  className={i < at ? 'ok' : i === at ? 'now' : ''}
                  aria-current={i === at ? 'step' : undefined}
                >
                  {wordOf(t.words.phase, phase)}
                </li>
              ))}
            </ol>
            <p>
              {run === null ? wordOf(t.people.requestStates, word) : <OutcomeBadge run={run} />}{' '}
              {run === null ? null : <Link to={pathTo('runs', run.id)}>{t.people.run}</Link>}{' '}
              {result?.reason == null ? '' : <span className="break">{result.reason}</span>}
            </p>
          </div>
        );
      }}
    </Loaded>
  );
}

/** Requests a preview, and goes to its page. */
export function PreviewButton({ sync }: { readonly sync: string }) {
  const { api, t } = usePage();
  return (
    <ActionButton
      label={t.people.previewFirst}
      means={t.previews.requestMeans}
      reason="none"
      onAct={async () => {
        const { id } = await api.post('/api/previews', {}, { sync });
        navigate(pathTo('previews', id));
      }}
    />
  );
}
