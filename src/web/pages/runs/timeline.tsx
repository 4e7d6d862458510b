import { usePage } from '../../state/page-context.tsx';
import { wordOf } from '../../texts/plural.ts';
import type { RunDetail } from './run-detail.ts';

/** Where the time of a run went. Delivering and checking alternate, so their times are sums. */
export function Timeline({ run }: { readonly run: RunDetail }) {
  const { t, f } = usePage();
  const all = run.timeline.reduce((sum, { ms }) => sum + ms, 0);
  if (run.timeline.length === 0) return null;
  return (
    <section aria-labelledby="timeline-title">
      <h2 id="timeline-title">{t.runs.timeline}</h2>
      <ol className="timeline">
        {run.timeline.map(({ phase, ms, isCurrent }) => (
          <li
            key={phase}
            className={isCurrent ? 'phase current' : 'phase'}
            style={{ flexGrow: Math.max(0.12, all === 0 ? 1 : ms / all) }}
          >
            <span className={`bar ${phase}`} />
            <span className="words">
              {wordOf(t.words.phase, phase)} <strong>{f.duration(ms)}</strong>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
