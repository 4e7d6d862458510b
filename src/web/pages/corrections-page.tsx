import type { Schemas } from '../api/schema.d.ts';
import { usePage } from '../state/page-context.tsx';
import { useAnswer } from '../state/queries.ts';
import { Link, pathTo } from '../state/router.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Empty, Loaded, PageHead, Section } from '../ui/frame.tsx';
import { Ago } from '../ui/time.tsx';

/** What HR has to correct, a table for each person in HR who corrects it. */
export function CorrectionsPage({ sync }: { readonly sync: string }) {
  const { t, language } = usePage();
  const list = useAnswer('/api/syncs/{sync}/data-quality', { sync, language });
  return (
    <>
      <PageHead title={t.corrections.title} actions={<Link to={pathTo('syncs', sync)}>{sync}</Link>} />
      <Loaded query={list}>
        {({ corrections }) => {
          if (corrections.length === 0) return <Empty title={t.corrections.none} hint={t.corrections.noneHint} />;
          const byOwner = [...Map.groupBy(corrections, ({ owner }) => owner)];
          const isOwned = byOwner.some(([owner]) => owner !== null);
          return byOwner.map(([owner, some]) => {
            const table = <CorrectionTable key={owner} sync={sync} corrections={some} />;
            if (!isOwned) return table;
            const title = t.corrections.of(owner ?? t.corrections.nobody, some.length);
            return (
              <Section key={owner} name={`owner-${owner}`} title={title}>
                {table}
              </Section>
            );
          });
        }}
      </Loaded>
    </>
  );
}

export function CorrectionTable({ sync, corrections }: Schemas['DataQuality']) {
  const { t } = usePage();
  const words = t.corrections;
  return (
    <DataTable
      rows={corrections}
      keyOf={({ code, person, place, column }) => [code, person, place, column].join(' ')}
      columns={[
        {
          title: words.person,
          kind: 'head',
          cell: ({ person }) => (person === null ? '–' : <Link to={pathTo('people', sync, person)}>{person}</Link>),
        },
        {
          title: words.place,
          className: 'nowrap',
          cell: ({ place, column }) => (
            <span className="stack">
              {place}
              {column === null ? null : <small className="faint break">{column}</small>}
            </span>
          ),
        },
        {
          title: words.problem,
          cell: ({ problem, remedy }) => (
            <span className="stack">
              {problem}
              <small className="faint">{remedy}</small>
            </span>
          ),
        },
        { title: words.effect, cell: ({ effect }) => effect },
        { title: words.since, className: 'nowrap', cell: ({ since }) => <Ago at={since} /> },
      ]}
    />
  );
}
