import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { isField, useKeys } from '../shell/shortcut-keys.tsx';
import { usePage } from '../state/page-context.tsx';
import { ProblemBox } from '../ui/actions.tsx';
import { Empty } from '../ui/frame.tsx';
import { ChangeRow, isUndecided } from './change-row.tsx';
import {
  type ChangeFilter,
  type ChangeOrder,
  type ChangeSubject,
  everything,
  isChosen,
  isNothing,
  nothing,
  type Selection,
  toggle,
} from './subject.ts';
import { useChanges } from './use-changes.ts';

export interface ChangeChoice {
  readonly selection: Selection;
  readonly onChange: (selection: Selection) => void;
}

interface Props {
  readonly subject: ChangeSubject;
  readonly sync: string;
  readonly filter: ChangeFilter;
  readonly order: ChangeOrder;
  readonly label: string;
  /** Absent: nothing can be chosen. */
  readonly choice?: ChangeChoice;
  /** Absent: the list keeps its order. */
  readonly onOrder?: (order: ChangeOrder) => void;
  /** The list is a part of a page, and takes little room. */
  readonly isShort?: boolean;
  /** Called with the changes that match, and with all. */
  readonly onTotal?: (total: number, all: number) => void;
}

const rowHeight = 37;
/** While the user drags the scroll bar, pages that pass by are not asked for. */
const restMs = 70;

/** The changes of a run or hold. Only what is on the screen is in the document, so any number scrolls. */
export function ChangeList({ subject, sync, filter, order, label, choice, onOrder, onTotal, isShort = false }: Props) {
  const { t } = usePage();
  const box = useRef<HTMLDivElement>(null);
  const base = useId();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set<string>([]));
  const [active, setActive] = useState(0);
  const mustFocus = useRef(false);
  const hasMoved = useRef(false);
  const [range, setRange] = useState({ first: 0, last: 30 });
  const rows = useChanges({ subject, filter, order, ...range });
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
  const view = JSON.stringify([filter, order]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view begins at its first row.
  useEffect(() => {
    box.current?.scrollTo({ top: 0 });
    setActive(0);
  }, [view]);
  useEffect(() => {
    if (rows.total !== undefined) onTotal?.(rows.total, rows.all);
  }, [rows.total, rows.all, onTotal]);
  useEffect(() => {
    if (!mustFocus.current) return;
    const row = document.getElementById(`${base}-${active}`);
    if (row === null) return;
    const { activeElement } = document;
    const isElsewhere = activeElement !== document.body && box.current?.contains(activeElement) !== true;
    // A row that is still loading is replaced by another element, which must get the focus too.
    mustFocus.current = !isElsewhere && rows.rowAt(active) === undefined;
    if (isElsewhere) return;
    row.focus({ preventScroll: true });
  });

  const goTo = (index: number): void => {
    const next = Math.max(0, Math.min(total - 1, index));
    // The keys work wherever the focus is, and bring it here.
    if (box.current?.contains(document.activeElement) !== true) box.current?.focus({ preventScroll: true });
    mustFocus.current = true;
    hasMoved.current = true;
    setActive(next);
    list.scrollToIndex(next, { align: 'auto' });
  };
  const turn = (row: string): void => {
    const next = new Set(open);
    if (!next.delete(row)) next.add(row);
    setOpen(next);
  };
  /** The keys that work outside of the list too. */
  const actOn = (key: string): boolean => {
    const change = rows.rowAt(active);
    if (key === 'j') goTo(hasMoved.current ? active + 1 : active);
    else if (key === 'k') goTo(active - 1);
    else if (change === undefined) return false;
    else if (key === 'Enter') turn(rowKey(change));
    else if (key === 'x' && choice !== undefined) {
      if (isUndecided(change)) choice.onChange(toggle(choice.selection, change.identification));
    } else return false;
    return true;
  };
  useKeys(rows.total !== undefined && rows.total > 0 && !isShort, actOn);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
    const isOnButton = event.target instanceof HTMLElement && event.target.closest('button, a, input') !== null;
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      Home: 0,
      End: total - 1,
    };
    const to = moves[event.key];
    if (to !== undefined) goTo(to);
    else if (
      event.key === ' ' ? isOnButton || !actOn('x') : (event.key === 'Enter' && isOnButton) || !actOn(event.key)
    ) {
      return;
    }
    event.preventDefault();
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
        <ChangeHeads {...{ order, onOrder, total, choice }} />
        {rows.total === 0 ? (
          <Empty title={rows.all === 0 ? t.changes.none : t.changes.noMatch} />
        ) : (
          <div className="rows" role="rowgroup" style={{ height: list.getTotalSize() }}>
            {visible.map(({ index, key, start }) => {
              const change = rows.rowAt(index);
              const id = change?.identification ?? '';
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
                    id={`${base}-${index}`}
                    index={index}
                    change={change}
                    sync={sync}
                    isActive={index === active}
                    isOpen={open.has(row)}
                    hasChoice={choice !== undefined}
                    isChosen={choice !== undefined && isChosen(choice.selection, id)}
                    onChoose={() => choice?.onChange(toggle(choice.selection, id))}
                    onTurn={() => turn(row)}
                    onFocus={() => {
                      hasMoved.current = true;
                      setActive(index);
                    }}
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

/** A person may have two changes: of the account, and of the leaders. */
function rowKey({ kind, identification }: { readonly kind: string; readonly identification: string }): string {
  return `${kind} ${identification}`;
}

interface HeadsProps {
  readonly order: ChangeOrder;
  readonly onOrder: ((order: ChangeOrder) => void) | undefined;
  readonly total: number;
  readonly choice: ChangeChoice | undefined;
}

const columns = ['kind', 'name', 'identification', 'email', 'area', 'reason'] as const;

/** The heads of the columns. Each sorts the list on the server. */
function ChangeHeads({ order, onOrder, total, choice }: HeadsProps) {
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
