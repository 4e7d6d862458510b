import { useQuery } from '@tanstack/react-query';
import { answerOf } from '../../api/client.ts';
import { Link } from '../../router/router.tsx';
import { usePage } from '../../state/page-context.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { TokenBadge } from '../../ui/token-badge.tsx';

export function useConnections() {
  const { api } = usePage();
  return useQuery({
    queryKey: ['connections'],
    queryFn: ({ signal }) => answerOf(api.GET('/api/connections', { signal })),
    staleTime: 30_000,
    refetchInterval: 60_000,
  });
}

export function ConnectionsCard() {
  const { t } = usePage();
  const connections = useConnections();
  return (
    <section className="card" aria-labelledby="connections-title">
      <h2 id="connections-title">{t.overview.connections.title}</h2>
      <Loaded query={connections}>
        {({ connections: list }) => (
          <ul className="pairs">
            {list.map(({ name, token }) => (
              <li key={name}>
                <Link to={`/connections#${name}`}>{name}</Link>
                <TokenBadge state={token.state} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}
