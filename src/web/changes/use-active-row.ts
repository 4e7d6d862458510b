import { type RefObject, useEffect, useState } from 'react';
import type { ChangeView } from './subject.ts';

interface ActiveRow {
  /** Undefined: the user has moved to none yet. */
  readonly index: number | undefined;
  /** A key has moved here, and the row does not have the focus yet. */
  readonly mustFocus: boolean;
}

const noRow: ActiveRow = { index: undefined, mustFocus: false };

interface List {
  readonly view: ChangeView;
  readonly total: number;
  readonly box: RefObject<HTMLElement | null>;
  readonly list: { scrollToIndex(index: number, options: { readonly align: 'auto' }): void };
}

/** The row that the keys are at, in a list of which only a part is in the document. */
export function useActiveRow({ view, total, box, list }: List) {
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
