import type { Schemas } from '../api/schema.ts';
import { Link, pathTo } from '../router/router.tsx';
import { usePage } from '../state/page-context.tsx';
import { wordOf } from '../texts/plural.ts';

type Hold = Schemas['HoldDetail'];
type HeldEnd = Hold['ends'][number];

/** A hold also closes as expired when its changes were decided in part, or wait in the hold of a later run. */
export function holdStateOf(state: string, ends: Hold['ends']): string {
  if (state !== 'expired') return state;
  if (ends.some((end) => end.state === 'open')) return 'replaced';
  return ends.some((end) => end.state === 'approved' || end.state === 'rejected') ? 'decided' : state;
}

/** `9 approved · ana · confirmed by HR` */
export function EndWords({
  end: { state, by, why, count },
}: {
  readonly end: Omit<HeldEnd, 'classes' | 'run' | 'end'>;
}) {
  const { t, f } = usePage();
  return [`${f.number(count)} ${wordOf(t.words.heldEnd, state)}`, by, why].filter((text) => text !== null).join(' · ');
}

/** What became of the changes of a hold, with a link to where the rest waits. */
export function HoldEnds({ hold }: { readonly hold: Hold }) {
  const { t } = usePage();
  const { ends, replacedBy } = hold;
  if (ends.every(({ state }) => state === 'open') && replacedBy === null) return null;
  return (
    <ul className="list">
      {ends.map(({ state, by, why, run, count }) => (
        <li key={`${state} ${by} ${why} ${run}`}>
          <EndWords end={{ state, by, why, count }} />
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
