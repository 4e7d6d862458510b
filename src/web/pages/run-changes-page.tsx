import { useState } from 'react';
import type { Schemas } from '../api/schema.ts';
import { ChangesView, useChangeView } from '../changes/changes-view.tsx';
import { Link, pathTo } from '../router/router.tsx';
import { usePage } from '../state/page-context.tsx';
import { OutcomeBadge } from '../ui/badges.tsx';
import { Loaded, PageHead } from '../ui/frame.tsx';
import { useRun } from './run-page.tsx';

export function RunChangesPage({ id }: { readonly id: string }) {
  const run = useRun(id);
  return (
    <Loaded query={run} title={id}>
      {(data) => <Changes run={data} />}
    </Loaded>
  );
}

function Changes({ run }: { readonly run: Schemas['RunDetail'] }) {
  const { t } = usePage();
  const view = useChangeView('run', run.id);
  const [total, setTotal] = useState<number>();
  return (
    <>
      <p className="crumbs">
        <Link to="/runs">{t.runs.title}</Link> / <Link to={pathTo('runs', run.id)}>{run.sync}</Link>
      </p>
      <PageHead
        title={t.runs.changesOf(run.sync)}
        beside={<OutcomeBadge outcome={run.outcome} phase={run.phase} />}
        actions={total === undefined ? undefined : <span className="faint">{t.runs.matching(total)}</span>}
      />
      <ChangesView view={view} sync={run.sync} label={t.runs.changesOf(run.sync)} onTotal={setTotal} hasStates />
    </>
  );
}
