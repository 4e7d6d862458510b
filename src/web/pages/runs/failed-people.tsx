import { ChangeList } from '../../changes/change-list.tsx';
import { Link, pathTo } from '../../router/router.tsx';
import { usePage } from '../../state/page-context.tsx';
import type { RunDetail } from './run-detail.ts';

const byName = {};
const failed = { state: 'failed' } as const;

/** The people whose change failed: what was sent, and what the platform said. */
export function FailedPeople({ run }: { readonly run: RunDetail }) {
  const { t } = usePage();
  const subject = { kind: 'run', id: run.id } as const;
  if (run.counts.failed === 0) return null;
  return (
    <section aria-labelledby="failed-title">
      <h2 id="failed-title">{t.runs.failed(run.counts.failed)}</h2>
      <ChangeList
        subject={subject}
        sync={run.sync}
        filter={failed}
        order={byName}
        label={t.runs.failed(run.counts.failed)}
        isShort
      />
      <p className="faint small">
        <Link to={`${pathTo('runs', run.id)}/changes?state=failed`}>{t.runs.showChanges}</Link>
      </p>
    </section>
  );
}
