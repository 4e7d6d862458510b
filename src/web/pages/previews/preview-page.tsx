import { useCallback, useMemo, useState } from 'react';
import { ChangeFilters } from '../../changes/change-filters.tsx';
import { ChangeList } from '../../changes/change-list.tsx';
import { type ChangeOrder, filterOf, orderOf } from '../../changes/subject.ts';
import { Link, pathTo, useFilters } from '../../router/router.tsx';
import { useNow } from '../../state/now.tsx';
import { usePage } from '../../state/page-context.tsx';
import { classWord } from '../../texts/plural.ts';
import { Counts } from '../../ui/counts.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { At } from '../../ui/time.tsx';
import { EffectWords } from '../holds/effect-words.tsx';
import { PreviewBadge, PreviewProgress } from './preview-state.tsx';
import { type Preview, usePreview } from './use-preview.ts';

/** A plan without effect. Its address can be sent to others until it expires. */
export function PreviewPage({ id }: { readonly id: string }) {
  const preview = usePreview(id);
  return <Loaded query={preview}>{(data) => <PreviewBody preview={data} />}</Loaded>;
}

function PreviewBody({ preview }: { readonly preview: Preview }) {
  const { t, f } = usePage();
  const now = useNow();
  const { sync, users, requestedBy, requestedAt, expiresAt, state, report } = preview;
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
      <PageHead title={t.previews.of(sync)} beside={<PreviewBadge state={state} />} />
      <p className="why faint">
        {users === null ? t.previews.everybody : t.previews.named(users.length)} · {requestedBy} ·{' '}
        <At at={requestedAt} /> · {t.previews.expires(f.relative(expiresAt, now))} · {t.previews.noEffect}
      </p>
      <PreviewProgress preview={preview} />
      {report === null ? null : <Report report={report} />}
      {report === null || report.failure !== null ? null : <PreviewChanges preview={preview} />}
    </>
  );
}

type Report = NonNullable<Preview['report']>;

function Report({ report }: { readonly report: Report }) {
  const { t, f } = usePage();
  const { counts, budget, budgetWithHeld, holds, findings, failure, facts } = report;
  const { sourceRows, platformUsers } = facts;
  return (
    <section aria-labelledby="report-title">
      <h2 id="report-title">{t.previews.wouldDo}</h2>
      {failure === null ? null : (
        <div className="box bad">
          <Icon name="warn" />
          <p className="break">{failure}</p>
        </div>
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
                {t.previews.wouldHold(f.number(count), classWord(t.words, held, count))}
                <div className="faint break">{reason}</div>
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
    </section>
  );
}

const shownFindings = 200;

function PreviewChanges({ preview: { id, sync } }: { readonly preview: Preview }) {
  const { t } = usePage();
  const [search, change] = useFilters();
  const filter = useMemo(() => filterOf(search), [search]);
  const order = useMemo(() => orderOf(search), [search]);
  const subject = useMemo(() => ({ kind: 'preview' as const, id }), [id]);
  const [total, setTotal] = useState<number>();
  const onOrder = useCallback((next: ChangeOrder) => change({ sort: next.sort, order: next.order }), [change]);
  return (
    <section aria-labelledby="changes-title">
      <h2 id="changes-title">
        {t.runs.changes} {total === undefined ? null : <span className="faint small">{t.runs.matching(total)}</span>}
      </h2>
      <ChangeFilters {...{ subject, filter, order }} by={search.get('by') ?? undefined} onChange={change} hasStates />
      <ChangeList {...{ subject, sync, filter, order, onOrder }} label={t.previews.of(sync)} onTotal={setTotal} />
    </section>
  );
}
