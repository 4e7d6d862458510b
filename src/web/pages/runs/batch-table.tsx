import { Link, pathTo } from '../../router/router.tsx';
import { usePage } from '../../state/page-context.tsx';
import { wordOf } from '../../texts/plural.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import type { IconName } from '../../ui/icon.tsx';
import { At } from '../../ui/time.tsx';
import type { RunDetail } from './run-detail.ts';

type Batch = RunDetail['batches'][number];

/** The files of a run, what the platform said about each, and what became of their changes. */
export function BatchTable({ run }: { readonly run: RunDetail }) {
  const { t, f } = usePage();
  if (run.batches.length === 0) return null;
  const numberOf = (id: string): string => String(run.batches.find((one) => one.id === id)?.number ?? '');
  return (
    <section aria-labelledby="files-title">
      <h2 id="files-title">{t.runs.files}</h2>
      <div className="table">
        <table className="folding">
          <thead>
            <tr>
              <th scope="col">{t.runs.file}</th>
              <th scope="col">{t.runs.state}</th>
              <th scope="col" className="number">
                {t.runs.rows}
              </th>
              <th scope="col">{t.runs.results}</th>
              <th scope="col">{t.runs.sent}</th>
              <th scope="col">{t.runs.final}</th>
            </tr>
          </thead>
          <tbody>
            {run.batches.map((batch) => (
              <tr key={batch.id}>
                <th scope="row">
                  {batch.number} <span className="faint">{batch.fileName ?? batch.fileId ?? batch.kind}</span>
                  {batch.parent === null ? null : (
                    <small className="faint">{t.runs.splitFrom(numberOf(batch.parent))}</small>
                  )}
                </th>
                <td data-label={t.runs.state}>
                  <BatchBadge batch={batch} />
                  {batch.reason === null ? null : <small className="faint break">{batch.reason}</small>}
                </td>
                <td data-label={t.runs.rows} className="number">
                  {f.number(batch.size)}
                </td>
                <td data-label={t.runs.results}>
                  {Object.entries(batch.states)
                    .map(([state, count]) => `${f.number(count)} ${wordOf(t.words.changeState, state).toLowerCase()}`)
                    .join(', ')}
                </td>
                <td data-label={t.runs.sent}>
                  <At at={batch.sentAt} />
                </td>
                <td data-label={t.runs.final}>
                  <At at={batch.finalAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="faint small">
        <Link to={`${pathTo('runs', run.id)}/changes?by=state`}>{t.runs.showChanges}</Link>
      </p>
    </section>
  );
}

function BatchBadge({ batch }: { readonly batch: Batch }) {
  const { t } = usePage();
  const hasFailed =
    (batch.states.failed ?? 0) + (batch.states.unresolved ?? 0) > 0 ||
    batch.final === 'failed' ||
    batch.state === 'unresolved';
  const [tone, icon]: readonly [Tone, IconName] = hasFailed
    ? ['bad', 'warn']
    : batch.state === 'settled'
      ? ['good', 'ok']
      : ['busy', 'run'];
  return (
    <Badge tone={tone} icon={icon}>
      {wordOf(t.words.batchState, batch.state)}
      {batch.final === null && batch.status === null ? '' : ` · ${batch.final ?? batch.status}`}
    </Badge>
  );
}
