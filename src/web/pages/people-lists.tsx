import { useOverview } from '../state/live.ts';
import { usePage } from '../state/page-context.tsx';
import { useAnswer } from '../state/queries.ts';
import { Link, pathTo, useFilter, withFilters } from '../state/router.tsx';
import { Loaded, Section } from '../ui/frame.tsx';
import { CorrectionTable } from './corrections-page.tsx';
import { ChangesByRun } from './records-page.tsx';

/** So many people are shown of each list. */
const limit = 8;

/** Before a search: whom runs changed, who waits for a decision, and who was skipped. Each title leads to all of it. */
export function PeopleLists() {
  const { t } = usePage();
  const [sync] = useFilter('sync');
  const applied = { sync, state: 'applied' } as const;
  const changed = useAnswer('/api/changes', { ...applied, limit });
  const waiting = useAnswer('/api/holds', { sync, limit });
  const names = useOverview().data?.syncs.map(({ name }) => name) ?? [];
  return (
    <>
      <Section name="changed" title={<Link to={withFilters('/changes', applied)}>{t.people.changed}</Link>}>
        <Loaded query={changed}>{({ changes }) => <ChangesByRun changes={changes} empty={t.changes.none} />}</Loaded>
      </Section>
      <Section name="waiting" title={<Link to={withFilters('/holds', { sync })}>{t.people.waiting}</Link>}>
        <Loaded query={waiting}>
          {({ holds }) => {
            const held = holds.flatMap(({ changes, heldAt: at, ...of }) =>
              changes.map((one) => ({ ...of, ...one, at })),
            );
            return <ChangesByRun changes={held.slice(0, limit)} empty={t.overview.waiting.none} />;
          }}
        </Loaded>
      </Section>
      {names.map((name) => (sync === undefined || sync === name ? <Skipped key={name} sync={name} /> : null))}
    </>
  );
}

function Skipped({ sync }: { readonly sync: string }) {
  const { t, language } = usePage();
  const found = useAnswer('/api/syncs/{sync}/data-quality', { sync, language }).data?.corrections ?? [];
  const title = <Link to={pathTo('syncs', sync, 'data-quality')}>{t.people.skipped(sync)}</Link>;
  return found.length === 0 ? null : (
    <Section name={`skipped-${sync}`} title={title}>
      <CorrectionTable sync={sync} corrections={found.slice(0, limit)} />
    </Section>
  );
}
