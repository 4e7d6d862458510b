import { useQuery } from '@tanstack/react-query';
import { answerOf } from '../../api/client.ts';
import { Link, pathTo } from '../../router/router.tsx';
import { usePage } from '../../state/page-context.tsx';
import { Ago } from '../../ui/time.tsx';
import { PreviewBadge } from '../previews/preview-state.tsx';

/** The previews of a sync that have not expired. */
export function PreviewsSection({ sync }: { readonly sync: string }) {
  const { api, t } = usePage();
  const { data } = useQuery({
    queryKey: ['previews', sync],
    queryFn: ({ signal }) => answerOf(api.GET('/api/previews', { signal, params: { query: { sync, limit: 5 } } })),
  });
  if (data === undefined || data.previews.length === 0) return null;
  return (
    <section aria-labelledby="previews-title">
      <h2 id="previews-title">{t.previews.title}</h2>
      <ul className="list">
        {data.previews.map(({ id, state, users, requestedBy, requestedAt }) => (
          <li key={id}>
            <PreviewBadge state={state} />
            <Link className="grow" to={pathTo('previews', id)}>
              {users === null ? t.previews.everybody : t.previews.named(users.length)}
            </Link>
            <span className="faint">
              {requestedBy} · <Ago at={requestedAt} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
