import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FocusEvent, type KeyboardEvent, useRef } from 'react';
import { answerOf } from '../api/client.ts';
import { usePage } from '../state/page-context.tsx';
import { type Language, languages, themes } from '../state/preferences.ts';
import { useSession } from '../state/session.ts';
import { wordOf } from '../texts/plural.ts';
import { Button } from '../ui/actions.tsx';
import { Icon } from '../ui/badges.tsx';
import { Select } from '../ui/filters.tsx';
import { showKeysEvent } from './shortcut-keys.tsx';

export function UserMenu() {
  const { t, f, theme, setTheme, language, setLanguage } = usePage();
  const { data } = useSession();
  const menu = useRef<HTMLDetailsElement>(null);
  const close = (): void => {
    if (menu.current !== null) menu.current.open = false;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    close();
    menu.current?.querySelector('summary')?.focus();
  };
  const onBlur = (event: FocusEvent): void => {
    if (event.relatedTarget !== null && !menu.current?.contains(event.relatedTarget)) close();
  };
  const name = (data?.name ?? '').replace(/^user:/, '');
  return (
    <details className="menu" ref={menu} onKeyDown={onKeyDown} onBlur={onBlur}>
      <summary title={name}>
        <Icon name="user" />
        <span className="unseen">{t.menu.label}: </span>
        <span className="name">{name}</span>
        <Icon name="down" />
      </summary>
      <div className="panel">
        <p>
          {t.menu.signedInAs(name)}
          <br />
          <span className="faint">{wordOf(t.words.role, data?.role ?? '')}</span>
        </p>
        <Select
          look="field"
          label={t.menu.theme}
          value={theme}
          options={themes.map((one) => [one, t.menu.themes[one]])}
          onChange={setTheme}
        />
        <label className="field">
          {t.menu.language}
          <select value={language} onChange={(event) => setLanguage(event.target.value as Language)}>
            {Object.entries(languages).map(([tag, { name: own }]) => (
              <option key={tag} value={tag} lang={tag}>
                {own}
              </option>
            ))}
          </select>
        </label>
        <p className="faint small">{t.menu.zone(f.zone())}</p>
        <div className="links">
          <a href="/docs">{t.menu.api}</a>
          <a href="/runbook">{t.menu.runbook}</a>
          <Button
            look="bare"
            onClick={() => {
              close();
              dispatchEvent(new Event(showKeysEvent));
            }}
          >
            {t.menu.keys}
          </Button>
        </div>
        <SignOut />
      </div>
    </details>
  );
}

function SignOut() {
  const { api, t } = usePage();
  const client = useQueryClient();
  const leave = useMutation({
    mutationFn: () => answerOf(api.POST('/api/session/end')),
    onSuccess: ({ location: next }) => {
      // Nothing of this user stays in the memory of the page.
      client.clear();
      if (next === null) location.assign('/sign-in');
      else location.assign(next);
    },
  });
  return (
    <Button isBusy={leave.isPending} onClick={() => leave.mutate()}>
      {t.menu.signOut}
    </Button>
  );
}
