import type { Schemas } from '../api/schema.d.ts';
import { ChangeList } from '../changes/change-list.tsx';
import { ChangeFilters, useChangeView } from '../changes/changes-view.tsx';
import { useChanges } from '../changes/use-changes.ts';
import { useMay } from '../shell/session.tsx';
import { useFollowed } from '../state/live.ts';
import { useNow } from '../state/now.tsx';
import { classCount, usePage } from '../state/page-context.tsx';
import { useAnswer } from '../state/queries.ts';
import { Link, navigate, pathTo, withFilters } from '../state/router.tsx';
import { wordOf } from '../texts/plural.ts';
import { ActionButton, Box, CopyButton } from '../ui/actions.tsx';
import { Counts, changeKinds, Icon, StateBadge } from '../ui/badges.tsx';
import { Loaded, PageHead, Section } from '../ui/frame.tsx';
import { Ago, At } from '../ui/time.tsx';
import { EffectWords } from './holds-page.tsx';

type Preview = Schemas['Preview'];

/** Reads a preview, and follows it while it is made. */
export function usePreview(id: string) {
  const query = useAnswer('/api/previews/{id}', { id }, { staleTime: 60_000 });
  const state = query.data?.state;
  useFollowed('preview', id, state === 'waiting' || state === 'working');
  return query;
}

/** A plan without effect. Its address can be sent to others until it expires. */
export function PreviewPage({ id }: { readonly id: string }) {
  return <Loaded query={usePreview(id)}>{(preview) => <PreviewBody preview={preview} />}</Loaded>;
}

function PreviewBody({ preview }: { readonly preview: Preview }) {
  const { t, f } = usePage();
  const now = useNow();
  const { sync, users, mapping, requestedBy, requestedAt, expiresAt, state, report } = preview;
  return (
    <>
      <p className="crumbs">
        <Link to={pathTo('syncs', sync)}>{sync}</Link>
        {users?.length === 1 && users[0] !== undefined ? (
          <>
            {' '}
            / <Link to={pathTo('people', sync, users[0])}>{users[0]}</Link>
          </>
        ) : null}
      </p>
      <PageHead
        title={t.previews.of(sync)}
        beside={<StateBadge of="preview" state={state} />}
        actions={<UndoButton preview={preview} />}
      />
      <p className="why faint">
        {users === null ? t.previews.everybody : t.runs.named(users.length)} · {requestedBy} · <At at={requestedAt} /> ·{' '}
        {t.overview.waiting.expires(f.relative(expiresAt, now))} · {t.previews.noEffect}
      </p>
      <PreviewProgress preview={preview} />
      {mapping === null ? null : (
        <details className="stretch everything">
          <summary>{t.previews.tried}</summary>
          <pre className="break">{mapping}</pre>
          <CopyButton text={mapping} />
        </details>
      )}
      {report === null ? null : <Report report={report} />}
      {report === null || report.failure !== null ? null : <PreviewChanges preview={preview} />}
    </>
  );
}

/** Only what was shown is undone: before the preview is made there is no button. */
function UndoButton({ preview: { sync, users, undoes, report } }: { readonly preview: Preview }) {
  const { api, t } = usePage();
  const mayAct = useMay('act');
  if (!mayAct || undoes === null || report === null || report.failure !== null) return null;
  const { counts } = report;
  const all = changeKinds.reduce((sum, kind) => sum + counts[kind], 0);
  if (all === 0) return null;
  const { run, only } = undoes;
  const selection = { ...(users === null ? {} : { users }), ...(only === null ? {} : { only }) };
  return (
    <ActionButton
      label={t.previews.undo}
      means={t.previews.undoMeans(all)}
      look="danger"
      onAct={(body) => api.post('/api/runs/{id}/undo', { id: run }, { ...selection, ...body })}
      onDone={() => navigate(withFilters('/runs', { sync }))}
    />
  );
}

type Report = NonNullable<Preview['report']>;

export function Report({ report }: { readonly report: Report }) {
  const { t, f } = usePage();
  const { counts, budget, budgetWithHeld, holds, findings, failure, facts } = report;
  const { sourceRows, platformUsers } = facts;
  return (
    <Section name="report" title={t.previews.wouldDo}>
      {failure === null ? null : (
        <Box look="bad" icon="warn">
          {failure}
        </Box>
      )}
      <div className="card line">
        <Counts counts={counts} />
        <span className="faint">
          {typeof sourceRows === 'number' && typeof platformUsers === 'number'
            ? t.previews.read(f.number(sourceRows), f.number(platformUsers))
            : ''}{' '}
          {budget === null ? '' : <EffectWords budget={budget} />}
        </span>
      </div>
      {holds.length === 0 ? null : (
        <ul className="list held-list">
          {holds.map(({ class: held, reason, count }) => (
            <li key={held}>
              <Icon name="hand" />
              <div className="grow">
                {t.previews.wouldHold(classCount({ t, f }, held, count))}
                <div className="faint break">{t.reason(reason)}</div>
              </div>
            </li>
          ))}
          {budgetWithHeld === null ? null : (
            <li className="faint">
              {t.previews.withHeld} <EffectWords budget={budgetWithHeld} />
            </li>
          )}
        </ul>
      )}
      {findings.length === 0 ? null : (
        <details className="stretch everything">
          <summary>{t.previews.findings(findings.length)}</summary>
          <ul className="list">
            {findings.slice(0, shownFindings).map(({ code, identification, at, message }) => (
              <li key={`${code} ${identification ?? ''} ${at ?? ''} ${message}`}>
                <code>{code}</code>
                <span className="grow break">{message}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Section>
  );
}

const shownFindings = 200;

function PreviewChanges({ preview: { id, sync } }: { readonly preview: Preview }) {
  const { t } = usePage();
  const view = useChangeView('preview', id);
  const { total } = useChanges(view);
  const title = (
    <>
      {t.runs.changes} {total === undefined ? null : <span className="faint small">{t.runs.matching(total)}</span>}
    </>
  );
  return (
    <Section name="changes" title={title}>
      <ChangeFilters view={view} hasStates />
      <ChangeList view={view} sync={sync} label={t.previews.of(sync)} choice={undefined} />
    </Section>
  );
}

/** The last previews of a sync. */
export function PreviewsSection({ sync }: { readonly sync: string }) {
  const { t } = usePage();
  const { data } = useAnswer('/api/previews', { sync, limit: 5 });
  if (data === undefined || data.previews.length === 0) return null;
  return (
    <Section name="previews" title={t.previews.title}>
      <ul className="list">
        {data.previews.map(({ id, state, users, requestedBy, requestedAt }) => (
          <li key={id}>
            <StateBadge of="preview" state={state} />
            <Link className="grow" to={pathTo('previews', id)}>
              {users === null ? t.previews.everybody : t.runs.named(users.length)}
            </Link>
            <span className="faint">
              {requestedBy} · <Ago at={requestedAt} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** How far a preview is, and why it does not go on. */
export function PreviewProgress({ preview }: { readonly preview: Preview }) {
  const { t, f } = usePage();
  const { state, progress, reason, isDeploymentRunning } = preview;
  if (state === 'done') return null;
  if (state === 'failed') {
    return (
      <Box look="bad" icon="warn" role="alert">
        {reason ?? t.previews.failed}
      </Box>
    );
  }
  if (state === 'waiting' && !isDeploymentRunning) {
    return (
      <Box look="warn" icon="pause">
        {t.previews.noDeployment}
      </Box>
    );
  }
  const { step, done, total } = progress ?? { step: undefined, done: 0, total: null };
  return (
    <p className="box progress" role="status">
      {step === undefined ? wordOf(t.words.preview, state) : t.previews.progress(step, f.number(done))}
      <progress
        {...(total === null || total === 0 ? {} : { max: total, value: done })}
        aria-label={t.previews.making}
      />
    </p>
  );
}
