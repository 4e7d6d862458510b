import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef } from 'react';
import type { Schemas } from '../api/schema.d.ts';
import { usePage } from '../state/page-context.tsx';
import { keyOf, useAnswer } from '../state/queries.ts';
import { navigate, useFilter, usePlace, withFilters } from '../state/router.tsx';
import { Box, Button, ProblemBox } from '../ui/actions.tsx';

export type Session = Schemas['Session'];
type Right = Session['rights'][number];

export function useSession() {
  return useAnswer('/api/session', {}, { staleTime: 60_000, refetchInterval: 120_000 });
}

/** Returns whether the user has a right, in this sync or in some sync. What needs a missing right is not shown. */
export function useMay(right: Right, sync?: string): boolean {
  const { data } = useSession();
  const rights = sync === undefined ? data?.rights : data?.bySync[sync];
  return rights?.includes(right) === true;
}

/** Signs in, and then shows the page of the address that was asked for. */
export function SignInPage({ ways }: { readonly ways: Session['signIn'] }) {
  const { t } = usePage();
  const [path] = usePlace();
  const [problem] = useFilter('problem');
  useEffect(() => {
    document.title = `${t.signIn.title} · ${t.product}`;
  }, [t]);
  const target = path === '/sign-in' ? '/' : `${path}${location.search}`;
  return (
    <main className="sign-in">
      <div className="card">
        <h1>
          <img src="/icon.svg" alt="" width="28" height="28" />
          {t.product}
        </h1>
        <p className="faint">{t.signIn.intro}</p>
        {problem === undefined ? null : (
          <Box look="bad" icon="warn" role="alert">
            {t.signIn.problems[problem] ?? t.signIn.problems.failed}
          </Box>
        )}
        {ways.openId === null ? null : (
          <a className="button main wide" href={withFilters('/auth/sign-in', { to: target })}>
            {t.signIn.openId(ways.openId)}
          </a>
        )}
        {ways.openId !== null && ways.token ? <p className="or faint">{t.signIn.or}</p> : null}
        {ways.token ? <TokenForm isMain={ways.openId === null} /> : null}
        {ways.link ? <p>{t.signIn.link}</p> : null}
        {ways.openId === null && !ways.token && !ways.link ? <p>{t.signIn.nothing}</p> : null}
      </div>
    </main>
  );
}

function TokenForm({ isMain }: { readonly isMain: boolean }) {
  const { api, t } = usePage();
  const client = useQueryClient();
  const field = useRef<HTMLInputElement>(null);
  const signIn = useMutation({
    mutationFn: (token: string) => api.post('/api/session', {}, { token }),
    onSuccess: (session) => {
      client.setQueryData(keyOf('/api/session', {}), session);
      if (location.pathname === '/sign-in') navigate('/', { replace: true });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const token = field.current?.value.trim() ?? '';
    if (token !== '' && !signIn.isPending) signIn.mutate(token);
  };
  return (
    <form onSubmit={submit}>
      <label className="field">
        {t.signIn.token}
        <input
          ref={field}
          type="password"
          autoComplete="off"
          spellCheck={false}
          required
          aria-describedby="token-hint"
        />
      </label>
      <p id="token-hint" className="faint small">
        {t.signIn.tokenHint}
      </p>
      <ProblemBox error={signIn.error} onDismiss={() => signIn.reset()} />
      <Button type="submit" look={isMain ? 'main' : 'plain'} className="wide" isBusy={signIn.isPending}>
        {signIn.isPending ? t.signIn.working : t.signIn.title}
      </Button>
    </form>
  );
}

export function SignOut() {
  const { api, t } = usePage();
  const client = useQueryClient();
  const leave = useMutation({
    mutationFn: () => api.post('/api/session/end', {}, undefined),
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
