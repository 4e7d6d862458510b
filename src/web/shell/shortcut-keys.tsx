import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { usePage } from '../state/page-context.tsx';
import { navigate, usePlace } from '../state/router.tsx';
import { Button, Dialog } from '../ui/actions.tsx';
import { Pair } from '../ui/frame.tsx';

/** Where `g` and a second key lead, and the name of the page there. */
const places = [
  ['o', '/', 'overview'],
  ['r', '/runs', 'runs'],
  ['h', '/holds', 'holds'],
  ['p', '/people', 'people'],
  ['a', '/alerts', 'alerts'],
] as const;

/** Uses a key, or returns false. */
type KeyUser = (key: string) => boolean;

/** Pressed keys that wait at most: what was pressed before the page could act. */
const mostWaiting = 20;

function openKeys() {
  const users = new Set<KeyUser>();
  let waiting: string[] = [];
  const press = (key: string): boolean => [...users].reverse().some((user) => user(key));
  return {
    press(key: string): boolean {
      const isUsed = press(key);
      if (!isUsed && key.length === 1) waiting = [...waiting, key].slice(-mostWaiting);
      return isUsed;
    },
    /** Gives keys to a user, first those that were pressed while none could use them. Returns what ends it. */
    use(user: KeyUser): () => void {
      users.add(user);
      const next = (): void => {
        const at = waiting.findIndex((key) => users.has(user) && flushSync(() => user(key)));
        if (at === -1) return;
        waiting = waiting.toSpliced(0, at + 1);
        setTimeout(next);
      };
      setTimeout(next);
      return () => users.delete(user);
    },
    forget(): void {
      waiting = [];
    },
  };
}

const KeysContext = createContext<ReturnType<typeof openKeys> | undefined>(undefined);

/**
 * Listens for single keys outside fields from the first moment of the page: what is pressed before its data came is used
 * afterwards. They can be switched off, as WCAG 2.1.4 asks.
 */
export function KeysProvider({ children }: { readonly children: ReactNode }) {
  const { hasKeys } = usePage();
  const [path] = usePlace();
  const keys = useMemo(openKeys, []);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { target, defaultPrevented, ctrlKey, metaKey, altKey } = event;
      if (!hasKeys || defaultPrevented || ctrlKey || metaKey || altKey || isField(target)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      const isOnControl = target instanceof HTMLElement && target.closest('a, button, summary') !== null;
      if (event.key === 'Enter' && isOnControl) return;
      if (keys.press(event.key)) event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [hasKeys, keys]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a key that waits is for the page where it was pressed.
  useEffect(() => () => keys.forget(), [path, keys]);
  return <KeysContext value={keys}>{children}</KeysContext>;
}

/** Returns what presses a key for the user. */
export function usePress(): (key: string) => void {
  const keys = useContext(KeysContext);
  return (key) => void keys?.press(key);
}

/** Uses keys while the component is shown and `isReady`. */
export function useKeys(isReady: boolean, user: KeyUser): void {
  const keys = useContext(KeysContext);
  const newest = useRef(user);
  newest.current = user;
  useEffect(() => (isReady ? keys?.use((key) => newest.current(key)) : undefined), [keys, isReady]);
}

/** The keys that work on every page, and their list. */
export function ShortcutKeys({ onSearch }: { readonly onSearch: () => void }) {
  const { t, hasKeys, prefer } = usePage();
  const [isShown, setShown] = useState(false);
  const isGoing = useRef(false);
  useKeys(true, (key) => {
    const [, to] = (isGoing.current ? places.find(([one]) => one === key) : undefined) ?? [];
    isGoing.current = key === 'g';
    if (to !== undefined) navigate(to);
    else if (key === '/') onSearch();
    else if (key === '?') setShown(true);
    else return isGoing.current;
    return true;
  });
  if (!isShown) return null;
  const ways = places.map(([key, , name]) => [`g ${key}`, t.nav[name]] as const);
  return (
    <Dialog title={t.keys.title} onClose={() => setShown(false)}>
      <dl className="keys">
        {[['/', t.search.label] as const, ...ways, ...t.keys.rows].map(([keys, what]) => (
          <Pair key={keys} name={<kbd>{keys}</kbd>}>
            {what}
          </Pair>
        ))}
      </dl>
      <label className="check">
        <input type="checkbox" checked={hasKeys} onChange={(event) => prefer({ hasKeys: event.target.checked })} />
        {t.keys.isOn}
      </label>
      <div className="actions">
        <Button onClick={() => setShown(false)}>{t.act.close}</Button>
      </div>
    </Dialog>
  );
}

/** Returns whether keys are text there. */
export function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const isTicked = target instanceof HTMLInputElement && target.type === 'checkbox';
  return !isTicked && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}
