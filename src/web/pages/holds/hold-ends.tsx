import type { Schemas } from '../../api/schema.ts';
import { Link, pathTo } from '../../router/router.tsx';
import { usePage } from '../../state/page-context.tsx';
import { wordOf } from '../../texts/plural.ts';

type Ends = Schemas['HoldDetail']['ends'];

/** A hold also closes as expired when its changes were decided in part, or wait in the hold of a later run. */
export function holdStateOf(state: string, ends: Ends): string {
  if (state !== 'expired') return state;
  if (ends.some((end) => end.state === 'open')) return 'replaced';
  return ends.some((end) => end.state === 'approved' || end.state === 'rejected') ? 'decided' : state;
}

/** What became of the changes of a hold, with a link to where the rest waits. */
export function HoldEnds({ hold }: { readonly hold: Schemas['HoldDetail'] }) {
  const { t, f } = usePage();
  const { ends, replacedBy } = hold;
  if (ends.every(({ state }) => state === 'open') && replacedBy === null) return null;
  return (
    <ul className="list">
      {ends.map(({ state, by, run, count }) => (
        <li key={`${state} ${by} ${run}`}>
          {f.number(count)} {wordOf(t.words.heldEnd, state)}
          {by === null ? '' : ` · ${by}`}
          {run === null ? null : (
            <>
              {' · '}
              <Link to={pathTo('runs', run)}>{t.holds.run}</Link>
            </>
          )}
          {state === 'open' && replacedBy !== null ? (
            <>
              {' · '}
              <Link to={pathTo('holds', replacedBy)}>{t.holds.replacedBy}</Link>
            </>
          ) : null}
        </li>
      ))}
    </ul>
  );
}
