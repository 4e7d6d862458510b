import { Link, pathTo, withFilters } from '../../router/router.tsx';
import type { Overview, SyncOverview } from '../../state/live.ts';
import { useNow } from '../../state/now.tsx';
import { usePage } from '../../state/page-context.tsx';
import { classWord } from '../../texts/plural.ts';
import { Icon } from '../../ui/icon.tsx';

/** What waits for a decision, counted in the store whatever its age. */
export function WaitingList({ overview }: { readonly overview: Overview }) {
  const { t } = usePage();
  const waiting = overview.syncs.filter(({ holds }) => holds.changes + holds.expired.changes + holds.reads > 0);
  return (
    <section aria-labelledby="waiting-title" className={waiting.length === 0 ? 'waiting none' : 'waiting'}>
      <h2 id="waiting-title">{t.overview.waiting.title}</h2>
      {waiting.length === 0 ? (
        <p className="calm">
          <Icon name="ok" />
          {t.overview.waiting.none}
        </p>
      ) : (
        <ul>
          {waiting.map((sync) => (
            <WaitingSync key={sync.name} sync={sync} />
          ))}
        </ul>
      )}
    </section>
  );
}

function WaitingSync({ sync: { name, holds, activity } }: { readonly sync: SyncOverview }) {
  const { t, f } = usePage();
  const now = useNow();
  const words = t.overview.waiting;
  const classes = Object.entries(holds.byClass)
    .map(([one, count]) => `${f.number(count)} ${classWord(t.words, one, count)}`)
    .join(', ');
  return (
    <li>
      <strong>{name}</strong>
      <div className="grow">
        {holds.changes === 0 ? null : <div>{words.held(holds.changes, classes)}</div>}
        {holds.expired.changes === 0 ? null : <div className="faint">{words.expired(holds.expired.changes)}</div>}
        {holds.reads === 0 ? null : <div>{words.reads(holds.reads)}</div>}
        {holds.changes === 0 || holds.heldAt === null ? null : (
          <small className="faint">
            {words.since(f.relative(holds.heldAt, now))}
            {holds.expiresAt === null ? '' : ` · ${words.expires(f.relative(holds.expiresAt, now))}`}
          </small>
        )}
      </div>
      {holds.reads > 0 && activity.run !== null ? (
        <Link className="button" to={pathTo('runs', activity.run)}>
          {words.look}
        </Link>
      ) : null}
      {holds.changes === 0 ? null : (
        <Link className="button main" to={withFilters('/holds', { sync: name })}>
          {words.review(holds.changes)}
          <Icon name="right" />
        </Link>
      )}
    </li>
  );
}
