import { type FormEvent, useRef } from 'react';
import { type Live, useOverview } from '../state/live.ts';
import { type Language, languages, themes, usePage } from '../state/page-context.tsx';
import { Link, navigate, useFilter, usePlace, withFilters } from '../state/router.tsx';
import { wordOf } from '../texts/plural.ts';
import { Button } from '../ui/actions.tsx';
import { Icon } from '../ui/badges.tsx';
import { Select } from '../ui/filters.tsx';
import { SignOut, useMay, useSession } from './session.tsx';
import { ShortcutKeys, usePress } from './shortcut-keys.tsx';

export function TopBar({ live }: { readonly live: Live }) {
  const { t } = usePage();
  return (
    <header className="top">
      <Link className="brand" to="/">
        <img src="/icon.svg" alt="" width="22" height="22" />
        {t.product}
      </Link>
      <Navigation />
      <div className="tools">
        <ShortcutKeys onSearch={() => document.getElementById(searchField)?.focus()} />
        {useMay('people') ? <PersonSearch /> : null}
        <LiveMark live={live} />
        <UserMenu />
      </div>
    </header>
  );
}

function Navigation() {
  const { t, f } = usePage();
  const [path] = usePlace();
  const { data } = useOverview();
  const held = (data?.waiting.changes ?? 0) + (data?.waiting.reads ?? 0);
  const open = data?.alerts.open ?? 0;
  const entries = [
    { to: '/', text: t.nav.overview },
    { to: '/runs', text: t.nav.runs },
    { to: '/holds', text: t.nav.holds, count: held, words: t.nav.waiting(held) },
    { to: '/changes', text: t.nav.changes, needs: 'people' },
    { to: '/leavers', text: t.leavers.title, needs: 'people' },
    { to: '/people', text: t.nav.people, needs: 'people' },
    { to: '/alerts', text: t.nav.alerts, count: open, words: t.nav.open(open) },
    { to: '/connections', text: t.nav.connections },
    { to: '/audit', text: t.nav.audit, needs: 'audit' },
  ];
  const rights: readonly string[] = useSession().data?.rights ?? [];
  return (
    <nav aria-label={t.nav.label}>
      {entries
        .filter(({ needs }) => needs === undefined || rights.includes(needs))
        .map(({ to, text, count = 0, words }) => {
          const isHere = to === '/' ? path === '/' || path.startsWith('/syncs/') : path.startsWith(to);
          return (
            <Link key={to} to={to} aria-current={isHere ? 'page' : undefined}>
              {text}
              {count === 0 ? null : (
                <span className="count">
                  <span aria-hidden="true">{f.number(count)}</span>
                  <span className="unseen">{words}</span>
                </span>
              )}
            </Link>
          );
        })}
    </nav>
  );
}

const searchField = 'find-person';

function PersonSearch() {
  const { t } = usePage();
  const [asked = ''] = useFilter('q');
  const isOnPeople = usePlace()[0] === '/people';
  const field = useRef<HTMLInputElement>(null);
  const search = (event: FormEvent): void => {
    event.preventDefault();
    navigate(withFilters('/people', { q: field.current?.value.trim() }));
  };
  const shown = isOnPeople ? asked : '';
  return (
    <search>
      <form className="find" onSubmit={search}>
        <Icon name="search" />
        <input
          key={shown}
          ref={field}
          id={searchField}
          type="search"
          defaultValue={shown}
          aria-label={t.search.label}
          placeholder={t.search.label}
          title={`${t.search.hint}. ${t.search.key}`}
          autoComplete="off"
          spellCheck={false}
        />
        <kbd title={t.search.key}>/</kbd>
      </form>
    </search>
  );
}

function LiveMark({ live }: { readonly live: Live }) {
  const { t } = usePage();
  return (
    <span className={`live ${live.state}`} role="status">
      <span className="dot" aria-hidden="true" />
      {t.live[live.state]}
    </span>
  );
}

const menuPanel = 'user-menu';

/** The browser closes it with Escape or a click elsewhere, and returns the focus. */
function UserMenu() {
  const { t, f, theme, language, prefer } = usePage();
  const press = usePress();
  const { data } = useSession();
  const name = data?.label ?? (data?.name ?? '').replace(/^\w+:/, '');
  return (
    <div className="menu">
      <button type="button" popoverTarget={menuPanel} title={name}>
        <Icon name="user" />
        <span className="unseen">{t.menu.label}: </span>
        <span className="name">{name}</span>
        <Icon name="down" />
      </button>
      <div id={menuPanel} popover="auto" className="panel">
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
          onChange={(chosen) => prefer({ theme: chosen })}
        />
        <label className="field">
          {t.menu.language}
          <select value={language} onChange={(event) => prefer({ language: event.target.value as Language })}>
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
          <Button look="bare" popoverTarget={menuPanel} popoverTargetAction="hide" onClick={() => press('?')}>
            {t.keys.title}
          </Button>
        </div>
        <SignOut />
      </div>
    </div>
  );
}
