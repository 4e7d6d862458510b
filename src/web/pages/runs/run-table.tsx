import type { Schemas } from '../../api/schema.ts';
import { Link, pathTo } from '../../router/router.tsx';
import { useNow } from '../../state/now.tsx';
import { usePage } from '../../state/page-context.tsx';
import { wordOf } from '../../texts/plural.ts';
import { Counts } from '../../ui/counts.tsx';
import { OutcomeBadge } from '../../ui/state-badges.tsx';
import { Ago, At } from '../../ui/time.tsx';

type Run = Schemas['Run'];

export function RunTable({
  runs,
  isOfOneSync = false,
}: {
  readonly runs: readonly Run[];
  readonly isOfOneSync?: boolean;
}) {
  const { t } = usePage();
  return (
    <div className="table">
      <table className="folding">
        <thead>
          <tr>
            <th scope="col">{t.runs.started}</th>
            {isOfOneSync ? null : <th scope="col">{t.overview.syncs.name}</th>}
            <th scope="col">{t.runs.outcome}</th>
            <th scope="col">{t.runs.changes}</th>
            <th scope="col">{t.runs.trigger}</th>
            <th scope="col">{t.runs.read}</th>
            <th scope="col">{t.runs.duration}</th>
            <th scope="col">{t.act.reason}</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <RunRow key={run.id} run={run} isOfOneSync={isOfOneSync} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RunRow({ run, isOfOneSync }: { readonly run: Run; readonly isOfOneSync: boolean }) {
  const { t } = usePage();
  return (
    <tr>
      <th scope="row" className="nowrap">
        <Link to={pathTo('runs', run.id)}>
          <At at={run.startedAt} />
        </Link>
        <small className="faint">
          <Ago at={run.startedAt} />
        </small>
      </th>
      {isOfOneSync ? null : (
        <td data-label={t.overview.syncs.name}>
          <Link to={pathTo('syncs', run.sync)}>{run.sync}</Link>
        </td>
      )}
      <td data-label={t.runs.outcome}>
        <OutcomeBadge outcome={run.outcome} phase={run.phase} />
      </td>
      <td data-label={t.runs.changes}>
        <Counts counts={run.counts} />
      </td>
      <td data-label={t.runs.trigger}>{wordOf(t.words.trigger, run.trigger)}</td>
      <td data-label={t.runs.read} className="nowrap">
        <ReadWords run={run} />
      </td>
      <td data-label={t.runs.duration} className="nowrap">
        <Duration run={run} />
      </td>
      <td data-label={t.act.reason} className="faint long">
        {run.reason}
      </td>
    </tr>
  );
}

export function ReadWords({ run }: { readonly run: Run }) {
  const { t } = usePage();
  if (run.users !== null) return t.runs.named(run.users);
  return run.read === null ? <span className="faint">–</span> : wordOf(t.words.read, run.read);
}

export function Duration({ run }: { readonly run: Run }) {
  const { f } = usePage();
  const now = useNow();
  const end = run.endedAt === null ? now : Date.parse(run.endedAt);
  return f.duration(Math.max(0, end - Date.parse(run.startedAt)));
}
