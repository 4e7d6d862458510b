import { Link, pathTo } from '../../router/router.tsx';
import type { SyncOverview } from '../../state/live.ts';
import { useNow } from '../../state/now.tsx';
import { usePage } from '../../state/page-context.tsx';
import { wordOf } from '../../texts/plural.ts';
import { Badge } from '../../ui/badge.tsx';

/** What a sync does now: idle, or the step of its run with progress and remaining time. */
export function ActivityCell({ sync: { name: sync, activity, requests } }: { readonly sync: SyncOverview }) {
  const { t, f } = usePage();
  const now = useNow();
  const words = t.overview.syncs;
  const { kind, run, phase, step, steps, changes, etaSeconds, isInterrupted, interruptedAt, problem } = activity;
  if (kind === 'idle') return <span className="faint">{wordOf(t.words.activity, kind)}</span>;
  if (kind === 'waiting') {
    return (
      <span className="stack">
        <Badge tone="quiet" icon="clock">
          {wordOf(t.words.activity, kind)}
        </Badge>
        {requests === 0 ? null : <small className="faint">{words.requests(requests)}</small>}
      </span>
    );
  }
  const word = kind === 'running' && phase !== null ? wordOf(t.words.phase, phase) : wordOf(t.words.activity, kind);
  const isActive = kind === 'running' && !isInterrupted;
  const badge = (
    <Badge tone={isActive ? 'busy' : 'warn'} icon={isActive ? 'run' : 'hand'}>
      {kind === 'running' && step !== null ? words.step(word, step, steps) : word}
    </Badge>
  );
  return (
    <span className="stack">
      {run === null ? badge : <Link to={pathTo('runs', run)}>{badge}</Link>}
      {isInterrupted ? (
        <small>{words.interrupted(interruptedAt === null ? null : f.instant(interruptedAt, now), sync)}</small>
      ) : null}
      {problem === null ? null : (
        <small className="faint break">{words.problem(f.instant(problem.at, now), problem.reason)}</small>
      )}
      {changes === null || kind !== 'running' ? null : (
        <small className="faint progress">
          <progress max={Math.max(1, changes.total)} value={changes.done} aria-label={word} />
          {words.done(f.number(changes.done), f.number(changes.total))}
          {etaSeconds === null ? '' : ` · ${words.eta(f.duration(etaSeconds * 1000))}`}
        </small>
      )}
    </span>
  );
}
