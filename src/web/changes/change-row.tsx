import { usePage } from '../state/page-context.tsx';
import { wordOf } from '../texts/plural.ts';
import { Icon } from '../ui/icon.tsx';
import { KindMark } from '../ui/kind-mark.tsx';
import { ChangeDetails } from './change-details.tsx';
import type { FoundChange } from './subject.ts';

interface Props {
  readonly id: string;
  readonly index: number;
  /** Undefined: not loaded yet. */
  readonly change: FoundChange | undefined;
  readonly sync: string;
  readonly isActive: boolean;
  readonly isOpen: boolean;
  /** Absent: nothing can be chosen. */
  readonly isChosen?: boolean;
  readonly onChoose: () => void;
  readonly onTurn: () => void;
  readonly onFocus: () => void;
}

/** One change: a line, and below it the difference when it is open. */
export function ChangeRow(props: Props) {
  const { id, index, change, sync, isActive, isOpen, isChosen, onChoose, onTurn, onFocus } = props;
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
  const said = state === 'held' || stateReason === null ? reason : stateReason;
  return (
    <>
      <div
        id={id}
        role="row"
        aria-rowindex={index + 2}
        aria-level={1}
        aria-expanded={isOpen}
        aria-selected={isChosen}
        className={`row${isActive ? ' active' : ''}`}
        tabIndex={isActive ? 0 : -1}
        onFocus={onFocus}
      >
        {isChosen === undefined ? null : (
          <span role="gridcell">
            <input
              type="checkbox"
              tabIndex={-1}
              checked={isChosen}
              aria-label={t.changes.choose(person)}
              onChange={onChoose}
            />
          </span>
        )}
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
        <span role="gridcell" className="reason" title={reason}>
          {isChosen === undefined && state !== 'applied' ? `${wordOf(t.words.changeState, state)} · ` : ''}
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
