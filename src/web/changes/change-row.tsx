import { type ReactNode, useEffect, useRef } from 'react';
import { usePage } from '../state/page-context.tsx';
import { Link, pathTo } from '../state/router.tsx';
import type { Texts } from '../texts/en.ts';
import { classWord, wordOf } from '../texts/plural.ts';
import { Icon, KindMark } from '../ui/badges.tsx';
import { DataTable, Value } from '../ui/data-table.tsx';
import { Dots, Pair } from '../ui/frame.tsx';
import { At } from '../ui/time.tsx';
import { type ChangeChoice, type FoundChange, isChosen, toggle } from './subject.ts';

interface Props {
  readonly index: number;
  /** Undefined: not loaded yet. */
  readonly change: FoundChange | undefined;
  readonly sync: string;
  /** Absent: the list has no column of choices. */
  readonly choice: ChangeChoice | undefined;
  /** The one row that the Tab key reaches. */
  readonly isActive: boolean;
  readonly mustFocus: boolean;
  readonly isOpen: boolean;
  readonly onTurn: () => void;
  readonly onFocus: () => void;
}

/** Returns whether a held change waits for a decision, as far as its hold does. */
export function isUndecided({ decision }: FoundChange): boolean {
  return decision === null || (decision.state === 'open' && decision.endedAt === null);
}

/** One change: a line, and below it the difference when it is open. */
export function ChangeRow({ index, change, sync, choice, isActive, mustFocus, isOpen, onTurn, onFocus }: Props) {
  const { t } = usePage();
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { activeElement } = document;
    const list = line.current?.closest('[role=treegrid]');
    // The user may have gone elsewhere while the list scrolled to this row.
    const isElsewhere = activeElement !== document.body && list?.contains(activeElement) !== true;
    if (mustFocus && !isElsewhere) line.current?.focus({ preventScroll: true });
  }, [mustFocus]);
  const isUndecidedHere = choice !== undefined && change !== undefined && isUndecided(change);
  return (
    <>
      <div
        ref={line}
        role="row"
        aria-rowindex={index + 2}
        aria-level={1}
        aria-expanded={change === undefined ? undefined : isOpen}
        aria-selected={isUndecidedHere ? isChosen(choice.selection, change.identification) : undefined}
        className={change === undefined ? 'row blank' : 'row'}
        tabIndex={isActive ? 0 : -1}
        onFocus={onFocus}
      >
        {change === undefined ? (
          <span role="gridcell">{t.loading}</span>
        ) : (
          <Cells {...{ change, choice, isOpen, onTurn }} />
        )}
      </div>
      {isOpen && change !== undefined ? (
        <div role="row" aria-level={2} className="details">
          <div role="gridcell">
            <ChangeDetails change={change} sync={sync} />
          </div>
        </div>
      ) : null}
    </>
  );
}

type CellsProps = Pick<Props, 'choice' | 'isOpen' | 'onTurn'> & { readonly change: FoundChange };

function Cells({ change, choice, isOpen, onTurn }: CellsProps) {
  const { t } = usePage();
  const { identification, kind, name, email, before, after, reason, state, stateReason } = change;
  const person = name ?? identification;
  // Of a held change the guard's reason is that of the whole hold.
  const said = t.reason(state === 'held' || stateReason === null ? reason : stateReason);
  return (
    <>
      {choice === undefined ? null : (
        <span role="gridcell">
          {isUndecided(change) ? (
            <input
              type="checkbox"
              tabIndex={-1}
              checked={isChosen(choice.selection, identification)}
              aria-label={t.changes.choose(person)}
              onChange={() => choice.onChange(toggle(choice.selection, identification))}
            />
          ) : null}
        </span>
      )}
      <Cell of="kind">
        <KindMark kind={kind} />
      </Cell>
      <Cell of="name" title={name ?? '–'} />
      <Cell of="identification" title={identification} />
      <Cell of="email" title={email} />
      <Cell of="area">{after.area ?? before?.area}</Cell>
      <Cell of="reason" title={said}>
        {isUndecided(change) ? null : <DecisionWords decision={change.decision} />}
        {choice !== undefined || state === 'applied' ? '' : `${wordOf(t.words.changeState, state)} · `}
        {said}
      </Cell>
      <Cell of="turn">
        <button type="button" tabIndex={-1} aria-expanded={isOpen} onClick={onTurn}>
          <Icon name={isOpen ? 'down' : 'right'} />
          <span className="unseen">{t.changes.show(person)}</span>
        </button>
      </Cell>
    </>
  );
}

interface CellProps {
  readonly of: string;
  /** The whole text, where the column may cut it. */
  readonly title?: string | null;
  /** Absent: the text. */
  readonly children?: ReactNode;
}

function Cell({ of, title, children = title }: CellProps) {
  return (
    <span role="gridcell" className={of} title={title ?? undefined}>
      {children}
    </span>
  );
}

/** What was decided about a held change, by whom and why. */
function DecisionWords({ decision }: Pick<FoundChange, 'decision'>) {
  const { t } = usePage();
  if (decision === null) return null;
  const { state, by, reason } = decision;
  const words = state === 'open' ? t.words.heldEnd.ended : wordOf(t.words.holdState, state);
  return <strong>{[words, by, reason].filter((text) => text !== null).join(' · ')} · </strong>;
}

/** What differs, field by field. The account itself counts as a field. */
function differencesOf({ kind, before, after, changed, isEnabled }: FoundChange, { yes, no, gone }: AccountWords) {
  const now = isEnabled === false ? no : yes;
  const account: Readonly<Record<string, readonly [before: string, after: string]>> = {
    enable: [no, yes],
    disable: [now, no],
    remove: [now, gone],
  };
  const own = account[kind];
  return [
    ...(own === undefined ? [] : [{ field: 'enabled', before: own[0], after: own[1] }]),
    ...changed.map((field) => ({ field, before: before?.[field], after: after[field] })),
  ];
}

type AccountWords = Texts['changes']['account'];

export function ChangeDetails({ change, sync }: { readonly change: FoundChange; readonly sync: string }) {
  const { t } = usePage();
  const { identification, reason, state, stateReason, decision, classes } = change;
  return (
    <>
      <DataTable
        look="diff"
        rows={differencesOf(change, t.changes.account)}
        keyOf={({ field }) => field}
        columns={[
          { title: t.mapping.field, kind: 'head', cell: ({ field }) => wordOf(t.words.field, field) },
          { title: t.changes.before, cell: ({ before }) => <Value text={before} as="del" /> },
          { title: t.changes.after, cell: ({ after }) => <Value text={after} as="ins" /> },
        ]}
      />
      <dl className="facts">
        <Pair name={t.changes.columns.reason}>{t.reason(reason)}</Pair>
        <Pair name={t.runs.state}>
          {wordOf(t.words.changeState, state)}
          {stateReason === null ? '' : `: ${t.reason(stateReason)}`}
        </Pair>
        <Pair name={t.changes.classes}>{classes.map((one) => classWord(t.words.classes, one)).join(', ')}</Pair>
        {decision === null || decision.by === null ? null : (
          <Pair name={t.changes.decided}>
            <Dots>
              {wordOf(t.words.holdState, decision.state)}
              {decision.by}
              <At at={decision.at} />
              {decision.reason}
              {decision.end === null ? null : wordOf(t.words.changeState, decision.end)}
              {decision.run === null ? null : <Link to={pathTo('runs', decision.run)}>{t.holds.run}</Link>}
            </Dots>
          </Pair>
        )}
        <Pair name={t.changes.person}>
          <Link to={pathTo('people', sync, identification)}>{t.changes.why}</Link>
        </Pair>
      </dl>
    </>
  );
}
