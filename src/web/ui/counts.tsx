import type { Schemas } from '../api/schema.ts';
import { usePage } from '../state/page-context.tsx';
import { KindMark } from './kind-mark.tsx';

/** What a run decided and what became of it, without the zeros. */
export function Counts({ counts }: { readonly counts: Schemas['Run']['counts'] }) {
  const { t, f } = usePage();
  const kinds = (['create', 'update', 'enable', 'disable', 'remove'] as const).filter((kind) => counts[kind] > 0);
  const bad = (['held', 'failed', 'unverified', 'unresolved'] as const).filter((state) => counts[state] > 0);
  if (kinds.length + bad.length === 0) return <span className="faint">–</span>;
  return (
    <span className="counts">
      {kinds.map((kind) => (
        <span key={kind} title={t.words.kind[kind]}>
          <KindMark kind={kind} count={f.number(counts[kind])} />
        </span>
      ))}
      {bad.map((state) => (
        <span key={state} className={state === 'held' ? 'held' : 'needs'}>
          {f.number(counts[state])} {t.runs.counts[state]}
        </span>
      ))}
    </span>
  );
}
