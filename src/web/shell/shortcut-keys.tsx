import { useEffect, useRef, useState } from 'react';
import { useRouter } from '../router/router.tsx';
import { usePage } from '../state/page-context.tsx';
import { Button, Dialog } from '../ui/actions.tsx';
import { Pair } from '../ui/frame.tsx';

const places: Readonly<Record<string, string>> = { o: '/', r: '/runs', h: '/holds', p: '/people', a: '/alerts' };

/** Asks for the list of shortcuts from elsewhere. */
export const showKeysEvent = 'rollcall:keys';

/** Single keys that work outside fields. They can be switched off, as WCAG 2.1.4 asks. */
export function ShortcutKeys({ onSearch }: { readonly onSearch: () => void }) {
  const { t, hasKeys, setKeys } = usePage();
  const { navigate } = useRouter();
  const [isShown, setShown] = useState(false);
  const isGoing = useRef(false);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!hasKeys || event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
      const to = isGoing.current ? places[event.key] : undefined;
      isGoing.current = event.key === 'g';
      if (to !== undefined) navigate(to);
      else if (event.key === '/') onSearch();
      else if (event.key === '?') setShown(true);
      else return;
      event.preventDefault();
    };
    const show = (): void => setShown(true);
    addEventListener('keydown', press);
    addEventListener(showKeysEvent, show);
    return () => {
      removeEventListener('keydown', press);
      removeEventListener(showKeysEvent, show);
    };
  }, [hasKeys, navigate, onSearch]);
  if (!isShown) return null;
  return (
    <Dialog title={t.keys.title} onClose={() => setShown(false)}>
      <dl className="keys">
        {t.keys.rows.map(([keys, what]) => (
          <Pair key={keys} name={<kbd>{keys}</kbd>}>
            {what}
          </Pair>
        ))}
      </dl>
      <label className="check">
        <input type="checkbox" checked={hasKeys} onChange={(event) => setKeys(event.target.checked)} />
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
