import { usePage } from '../state/page-context.tsx';
import { Link, pathTo } from '../state/router.tsx';
import { wordOf } from '../texts/plural.ts';
import { Icon, KindMark } from '../ui/badges.tsx';
import { DataTable, Value } from '../ui/data-table.tsx';
import { Pair } from '../ui/frame.tsx';
import { At } from '../ui/time.tsx';
import type { FoundChange } from './subject.ts';

interface Props {
  readonly id: string;
  readonly index: number;
  /** Undefined: not loaded yet. */
  readonly change: FoundChange | undefined;
  readonly sync: string;
  readonly isActive: boolean;
  readonly isOpen: boolean;
  /** Whether the list has a column of choices. */
  readonly hasChoice: boolean;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly onTurn: () => void;
  readonly onFocus: () => void;
}

/** Returns whether a held change waits for a decision, as far as its hold does. */
export function isUndecided({ decision }: FoundChange): boolean {
  return decision === null || (decision.state === 'open' && decision.endedAt === null);
}

/** One change: a line, and below it the difference when it is open. */
export function ChangeRow(props: Props) {
  const { id, index, change, sync, isActive, isOpen, hasChoice, isChosen, onChoose, onTurn, onFocus } = props;
  const { t } = usePage();
  if (change === undefined) {
    return (
      <div id={id} role="row" aria-rowindex={index + 2} aria-level={1} className="row blank" tabIndex={-1}>
        <span role="gridcell">{t.loading}</span>
      </div>
    );
  }
  const { identification, kind, name, email, before, after, reason, state, stateReason } = change;
  const person = name ?? identification;
  // Of a held change the guard's reason is that of the whole hold.
  const said = t.reason(state === 'held' || stateReason === null ? reason : stateReason);
  const isOpenToChoice = hasChoice && isUndecided(change);
  return (
    <>
      <div
        id={id}
        role="row"
        aria-rowindex={index + 2}
        aria-level={1}
        aria-expanded={isOpen}
        aria-selected={isOpenToChoice ? isChosen : undefined}
        className={`row${isActive ? ' active' : ''}`}
        tabIndex={isActive ? 0 : -1}
        onFocus={onFocus}
      >
        {hasChoice ? (
          <span role="gridcell">
            {isOpenToChoice ? (
              <input
                type="checkbox"
                tabIndex={-1}
                checked={isChosen}
                aria-label={t.changes.choose(person)}
                onChange={onChoose}
              />
            ) : null}
          </span>
        ) : null}
        <span role="gridcell" className="kind">
          <KindMark kind={kind} />
        </span>
        <span role="gridcell" className="name" title={name ?? ''}>
          {name ?? '–'}
        </span>
        <span role="gridcell" className="identification" title={identification}>
          {identification}
        </span>
        <span role="gridcell" className="email" title={email ?? ''}>
          {email ?? ''}
        </span>
        <span role="gridcell" className="area">
          {after.area ?? before?.area ?? ''}
        </span>
        <span role="gridcell" className="reason" title={said}>
          {isUndecided(change) ? null : <DecisionWords decision={change.decision} />}
          {hasChoice || state === 'applied' ? '' : `${wordOf(t.words.changeState, state)} · `}
          {said}
        </span>
        <span role="gridcell" className="turn">
          <button type="button" tabIndex={-1} aria-expanded={isOpen} onClick={onTurn}>
            <Icon name={isOpen ? 'down' : 'right'} />
            <span className="unseen">{t.changes.show(person)}</span>
          </button>
        </span>
      </div>
      {isOpen ? (
        <div role="row" aria-level={2} className="details">
          <div role="gridcell">
            <ChangeDetails change={change} sync={sync} />
          </div>
        </div>
      ) : null}
    </>
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

interface Line {
  readonly field: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What differs, field by field. The account itself counts as a field. */
function differencesOf({ kind, before, after, changed, isEnabled }: FoundChange, words: Enabled): Line[] {
  const account: Record<string, readonly [string | undefined, string | undefined]> = {
    enable: [words.no, words.yes],
    disable: [isEnabled === false ? words.no : words.yes, words.no],
    remove: [isEnabled === false ? words.no : words.yes, words.gone],
  };
  const own = account[kind];
  return [
    ...(own === undefined ? [] : [{ field: 'enabled', before: own[0], after: own[1] }]),
    ...changed.map((field) => ({ field, before: before?.[field], after: after[field] })),
  ];
}

interface Enabled {
  readonly yes: string;
  readonly no: string;
  readonly gone: string;
}

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
        <Pair name={t.changes.classes}>{classes.map((one) => wordOf(t.words.classes, one)).join(', ')}</Pair>
        {decision === null || decision.by === null ? null : (
          <Pair name={t.changes.decided}>
            {wordOf(t.words.holdState, decision.state)} · {decision.by} · <At at={decision.at} />
            {decision.reason === null ? '' : ` · ${decision.reason}`}
            {decision.end === null ? '' : ` · ${wordOf(t.words.changeState, decision.end)}`}
            {decision.run === null ? null : (
              <>
                {' · '}
                <Link to={pathTo('runs', decision.run)}>{t.holds.run}</Link>
              </>
            )}
          </Pair>
        )}
        <Pair name={t.changes.person}>
          <Link to={pathTo('people', sync, identification)}>{t.changes.why}</Link>
        </Pair>
      </dl>
    </>
  );
}
