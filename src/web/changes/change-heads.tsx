import { usePage } from '../state/page-context.tsx';
import { everything, isNothing, nothing, type Selection } from './selection.ts';
import type { ChangeOrder } from './subject.ts';

interface Props {
  readonly order: ChangeOrder;
  readonly onOrder?: (order: ChangeOrder) => void;
  readonly total: number;
  readonly choice?: { readonly selection: Selection; readonly onChange: (selection: Selection) => void };
}

const columns = ['kind', 'name', 'identification', 'email', 'area', 'reason'] as const;

/** The heads of the columns. Each sorts the list on the server. */
export function ChangeHeads({ order, onOrder, total, choice }: Props) {
  const { t } = usePage();
  const sorted = order.sort ?? 'identification';
  const isDown = order.order === 'desc';
  return (
    <div role="rowgroup" className="heads">
      <div role="row" aria-rowindex={1} aria-level={1} className="row">
        {choice === undefined ? null : (
          <span role="columnheader">
            <ChooseAll total={total} {...choice} />
          </span>
        )}
        {columns.map((column) => (
          <span
            key={column}
            role="columnheader"
            className={column}
            aria-sort={sorted === column ? (isDown ? 'descending' : 'ascending') : 'none'}
          >
            <button
              type="button"
              disabled={onOrder === undefined}
              className="sort"
              onClick={() => onOrder?.({ sort: column, order: sorted === column && !isDown ? 'desc' : 'asc' })}
            >
              {t.changes.columns[column]}
              <span aria-hidden="true">{sorted === column ? (isDown ? ' ↓' : ' ↑') : ''}</span>
            </button>
          </span>
        ))}
        <span role="columnheader" className="turn">
          <span className="unseen">{t.changes.details}</span>
        </span>
      </div>
    </div>
  );
}

function ChooseAll({
  selection,
  onChange,
  total,
}: {
  readonly selection: Selection;
  readonly onChange: (selection: Selection) => void;
  readonly total: number;
}) {
  const { t } = usePage();
  const isAll = selection.mode === 'all' && selection.ids.size === 0;
  return (
    <input
      type="checkbox"
      aria-label={t.changes.chooseAll}
      checked={isAll && total > 0}
      ref={(field) => {
        if (field !== null) field.indeterminate = !isAll && !isNothing(selection, total);
      }}
      onChange={() => onChange(isAll ? nothing : everything)}
    />
  );
}
