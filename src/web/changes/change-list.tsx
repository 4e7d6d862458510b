import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { isField, useKeys } from '../shell/shortcut-keys.tsx';
import { usePage } from '../state/page-context.tsx';
import { useFilters } from '../state/router.tsx';
import { ProblemBox } from '../ui/actions.tsx';
import { Empty } from '../ui/frame.tsx';
import { ChangeRow, isUndecided } from './change-row.tsx';
import { type ChangeChoice, type ChangeView, everything, isNothing, nothing, toggle } from './subject.ts';
import { useChanges } from './use-changes.ts';

interface Props {
  readonly view: ChangeView;
  readonly sync: string;
  readonly label: string;
  /** Undefined: nothing can be chosen. */
  readonly choice: ChangeChoice | undefined;
  /** The list is a part of a page: it takes little room, keeps its order, and has no keys while the focus is elsewhere. */
  readonly isShort?: boolean;
}

const rowHeight = 37;
/** While the user drags the scroll bar, pages that pass by are not asked for. */
const restMs = 70;

/** The changes of a run or hold. Only what is on the screen is in the document, so any number scrolls. */
export function ChangeList({ view, sync, label, choice, isShort = false }: Props) {
  const { t } = usePage();
  const box = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ first: 0, last: 30 });
  const rows = useChanges(view, range);
  const total = rows.total ?? 0;
  const list = useVirtualizer({
    count: total,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const visible = list.getVirtualItems();
  const [first, last] = [visible[0]?.index ?? 0, visible.at(-1)?.index ?? 30];
  useEffect(() => {
    const timer = setTimeout(() => setRange({ first, last }), restMs);
    return () => clearTimeout(timer);
  }, [first, last]);
  const [open, turn] = useOpenRows();
  const { active, goTo, onFocus } = useActiveRow({ view, total, box, list });
  const act = (key: string): boolean => {
    const { index = -1 } = active;
    const change = rows.rowAt(Math.max(0, index));
    const to = { j: index + 1, ArrowDown: index + 1, k: index - 1, ArrowUp: index - 1, Home: 0, End: total - 1 }[key];
    if (to !== undefined) goTo(to);
    else if (change === undefined) return false;
    else if (key === 'Enter') turn(rowKey(change));
    else if ((key === 'x' || key === ' ') && choice !== undefined) {
      if (isUndecided(change)) choice.onChange(toggle(choice.selection, change.identification));
    } else return false;
    return true;
  };
  useKeys(total > 0 && !isShort, (key) => everywhere.includes(key) && act(key));
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || isField(target)) return;
    const isOnButton = target instanceof HTMLElement && target.closest('button, a, input') !== null;
    if (isOnButton && (key === ' ' || key === 'Enter')) return;
    if (act(key)) event.preventDefault();
  };

  return (
    <>
      <ProblemBox error={rows.error} />
      <div
        className={`change-list${choice === undefined ? ' plain' : ''}${isShort ? ' short' : ''}`}
        role="treegrid"
        tabIndex={-1}
        aria-label={label}
        aria-rowcount={total + 1}
        aria-multiselectable={choice === undefined ? undefined : true}
        onKeyDown={onKeyDown}
        ref={box}
      >
        <ChangeHeads {...{ view, isShort, choice, total }} />
        {rows.total === 0 ? (
          <Empty title={rows.all === 0 ? t.changes.none : t.changes.noMatch} />
        ) : (
          <div className="rows" role="rowgroup" style={{ height: list.getTotalSize() }}>
            {visible.map(({ index, key, start }) => {
              const change = rows.rowAt(index);
              const row = change === undefined ? '' : rowKey(change);
              return (
                <div
                  key={key}
                  role="presentation"
                  className="place"
                  data-index={index}
                  ref={list.measureElement}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <ChangeRow
                    {...{ index, change, sync, choice }}
                    isActive={index === (active.index ?? 0)}
                    mustFocus={index === active.index && active.mustFocus}
                    isOpen={open.has(row)}
                    onTurn={() => turn(row)}
                    onFocus={() => onFocus(index)}
                  />
                </div>
              );
            })}
          </div>
        )}
      </div>
    </>
  );
}

/** `mustFocus`: a key has moved here, and the row does not have the focus yet. */
const noRow = { index: undefined as number | undefined, mustFocus: false };

interface List extends Pick<Props, 'view'> {
  readonly total: number;
  readonly box: RefObject<HTMLElement | null>;
  readonly list: { scrollToIndex(index: number, options: { readonly align: 'auto' }): void };
}

/** The row that the keys are at, in a list of which only a part is in the document. None until the user has moved to one. */
function useActiveRow({ view, total, box, list }: List) {
  const [active, setActive] = useState(noRow);
  const shown = JSON.stringify(view);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view begins at its first row.
  useEffect(() => {
    box.current?.scrollTo({ top: 0 });
    setActive(noRow);
  }, [shown, box]);
  const goTo = (to: number): void => {
    const index = Math.max(0, Math.min(total - 1, to));
    // The keys work wherever the focus is, and bring it here. The row takes it as soon as it is in the document.
    if (box.current?.contains(document.activeElement) !== true) box.current?.focus({ preventScroll: true });
    setActive({ index, mustFocus: true });
    list.scrollToIndex(index, { align: 'auto' });
  };
  const onFocus = (index: number): void => setActive({ index, mustFocus: false });
  return { active, goTo, onFocus };
}

/** The keys that work while the focus is elsewhere on the page. */
const everywhere: readonly string[] = ['j', 'k', 'x', 'Enter'];

function useOpenRows() {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set<string>([]));
  const turn = (row: string): void => {
    const next = new Set(open);
    if (!next.delete(row)) next.add(row);
    setOpen(next);
  };
  return [open, turn] as const;
}

/** A person may have two changes: of the account, and of the leaders. */
function rowKey({ kind, identification }: { readonly kind: string; readonly identification: string }): string {
  return `${kind} ${identification}`;
}

const columns = ['kind', 'name', 'identification', 'email', 'area', 'reason'] as const;

/** The heads of the columns. Each sorts the list on the server, by the order in the address. */
function ChangeHeads({ view: { order }, isShort, choice, total }: Omit<Props, 'sync' | 'label'> & { total: number }) {
  const { t } = usePage();
  const [, change] = useFilters();
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
              disabled={isShort}
              className="sort"
              onClick={() => change({ sort: column, order: sorted === column && !isDown ? 'desc' : 'asc' })}
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

function ChooseAll({ selection, onChange, total }: ChangeChoice & { readonly total: number }) {
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
