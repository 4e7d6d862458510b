import { type FormEvent, useRef } from 'react';
import { Link, useRouter, withFilters } from '../router/router.tsx';
import { type Live, useOverview } from '../state/live.ts';
import { usePage } from '../state/page-context.tsx';
import { Icon } from '../ui/badges.tsx';
import { ShortcutKeys } from './shortcut-keys.tsx';
import { UserMenu } from './user-menu.tsx';

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
        <PersonSearch />
        <LiveMark live={live} />
        <UserMenu />
      </div>
    </header>
  );
}

function Navigation() {
  const { t, f } = usePage();
  const { place } = useRouter();
  const { data } = useOverview();
  const held = (data?.waiting.changes ?? 0) + (data?.waiting.reads ?? 0);
  const open = data?.alerts.open ?? 0;
  const entries = [
    { to: '/', text: t.nav.overview },
    { to: '/runs', text: t.nav.runs },
    { to: '/holds', text: t.nav.holds, count: held, words: t.nav.waiting(held) },
    { to: '/people', text: t.nav.people },
    { to: '/alerts', text: t.nav.alerts, count: open, words: t.nav.open(open) },
    { to: '/connections', text: t.nav.connections },
    { to: '/audit', text: t.nav.audit },
  ];
  return (
    <nav aria-label={t.nav.label}>
      {entries.map(({ to, text, count = 0, words }) => {
        const isHere = to === '/' ? place.path === '/' || place.path.startsWith('/syncs/') : place.path.startsWith(to);
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

function PersonSearch() {
  const { t } = usePage();
  const { navigate, place } = useRouter();
  const field = useRef<HTMLInputElement>(null);
  const search = (event: FormEvent): void => {
    event.preventDefault();
    navigate(withFilters('/people', { q: field.current?.value.trim() }));
  };
  const asked = place.path === '/people' ? (new URLSearchParams(place.search).get('q') ?? '') : '';
  return (
    <>
      <ShortcutKeys onSearch={() => field.current?.focus()} />
      <search>
        <form className="find" onSubmit={search}>
          <Icon name="search" />
          <input
            key={asked}
            ref={field}
            type="search"
            defaultValue={asked}
            aria-label={t.search.label}
            placeholder={t.search.label}
            title={`${t.search.hint}. ${t.search.key}`}
            autoComplete="off"
            spellCheck={false}
          />
          <kbd title={t.search.key}>/</kbd>
        </form>
      </search>
    </>
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
