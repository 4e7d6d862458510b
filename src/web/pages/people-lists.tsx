import type { ReactNode } from 'react';
import type { Schemas } from '../api/schema.d.ts';
import { useOverview } from '../state/live.ts';
import { usePage } from '../state/page-context.tsx';
import { useAnswer } from '../state/queries.ts';
import { Link, pathTo, useFilter, withFilters } from '../state/router.tsx';
import { KindMark } from '../ui/badges.tsx';
import { DataTable, usePersonColumns } from '../ui/data-table.tsx';
import { Empty, Loaded, Section } from '../ui/frame.tsx';
import { At } from '../ui/time.tsx';
import { CorrectionTable } from './corrections-page.tsx';

/** So many people are shown of each list. */
const most = 10;

/** Before a search: whom runs changed, who waits for a decision, and who was skipped. Each list leads to all of it. */
export function PeopleLists() {
  const { t } = usePage();
  const [sync] = useFilter('sync');
  const changed = useAnswer('/api/changes', { sync, state: 'applied', limit: most });
  const waiting = useAnswer('/api/holds', { sync, limit: most });
  const names = useOverview().data?.syncs.map(({ name }) => name) ?? [];
  return (
    <>
      <List name="changed" title={t.people.changed} to={withFilters('/changes', { sync, state: 'applied' })}>
        <Loaded query={changed}>{({ changes }) => <PersonChanges changes={changes} />}</Loaded>
      </List>
      <List name="waiting" title={t.people.waiting} to={withFilters('/holds', { sync })}>
        <Loaded query={waiting}>
          {({ holds }) => <PersonChanges changes={holds.flatMap(heldOf).slice(0, most)} />}
        </Loaded>
      </List>
      {names
        .filter((name) => name === (sync ?? name))
        .map((name) => (
          <Skipped key={name} sync={name} />
        ))}
    </>
  );
}

function heldOf({ changes, sync, run, heldAt }: Schemas['HoldsPage']['holds'][number]) {
  return changes.map((change) => ({ ...change, sync, run, at: heldAt }));
}

interface ListProps {
  readonly name: string;
  readonly title: string;
  /** Where all of it is. */
  readonly to: string;
  readonly children: ReactNode;
}

function List({ name, title, to, children }: ListProps) {
  const { t } = usePage();
  return (
    <Section name={name} title={title}>
      {children}
      <p className="small">
        <Link to={to}>{t.act.all}</Link>
      </p>
    </Section>
  );
}

function Skipped({ sync }: { readonly sync: string }) {
  const { t, language } = usePage();
  const found = useAnswer('/api/syncs/{sync}/data-quality', { sync, language }).data?.corrections ?? [];
  if (found.length === 0) return null;
  return (
    <List name={`skipped-${sync}`} title={t.people.skipped(sync)} to={pathTo('syncs', sync, 'data-quality')}>
      <CorrectionTable sync={sync} corrections={found.slice(0, most)} />
    </List>
  );
}

type Shown = Omit<ReturnType<typeof heldOf>[number], 'before' | 'isEnabled'>;

function PersonChanges({ changes }: { readonly changes: readonly Shown[] }) {
  const { t } = usePage();
  return (
    <DataTable
      rows={changes}
      keyOf={({ run, identification, kind }) => `${run} ${identification} ${kind}`}
      empty={<Empty title={t.changes.none} />}
      columns={[
        ...usePersonColumns(),
        { title: t.changes.columns.kind, cell: ({ kind }) => <KindMark kind={kind} /> },
        { title: t.act.reason, className: 'faint', cell: ({ reason }) => t.reason(reason) },
        {
          title: t.holds.run,
          className: 'nowrap',
          cell: ({ run, at }) => (
            <Link to={pathTo('runs', run)}>
              <At at={at} />
            </Link>
          ),
        },
      ]}
    />
  );
}
