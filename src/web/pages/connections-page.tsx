import type { Schemas } from '../api/schema.d.ts';
import { useMay } from '../shell/session.tsx';
import { usePage } from '../state/page-context.tsx';
import { useAnswer } from '../state/queries.ts';
import { Link, pathTo, withFilters } from '../state/router.tsx';
import { ActionButton, Box } from '../ui/actions.tsx';
import { StateBadge } from '../ui/badges.tsx';
import { Dots, Empty, Loaded, PageHead, Pair, Section } from '../ui/frame.tsx';
import { Ago, At } from '../ui/time.tsx';

type Connection = Schemas['Connection'];

/** The connections, the state of their tokens, and what to do about it. */
export function ConnectionsPage() {
  const { t } = usePage();
  return (
    <>
      <PageHead title={t.nav.connections} />
      <Loaded query={useConnections()}>
        {({ connections: list }) =>
          list.length === 0 ? (
            <Empty title={t.connections.none} />
          ) : (
            <div className="cards wide stretch">
              {list.map((connection) => (
                <ConnectionCard key={connection.name} connection={connection} />
              ))}
            </div>
          )
        }
      </Loaded>
    </>
  );
}

function ConnectionCard({ connection: { name, syncs, token, steps } }: { readonly connection: Connection }) {
  const { api, t, f } = usePage();
  const mayChange = useMay('tokens');
  return (
    <section className="card" id={name} aria-labelledby={`connection-${name}`}>
      <div className="card-head">
        <h2 id={`connection-${name}`}>{name}</h2>
        <StateBadge of="token" state={token.state} />
      </div>
      {steps.length === 0 && token.reason === null ? null : (
        <Box look="warn" icon="warn">
          {token.reason === null ? null : <p className="break">{token.reason}</p>}
          {steps.length === 0 ? null : (
            <ol className="numbered">
              {steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          )}
        </Box>
      )}
      <dl className="pairs">
        <Pair name={t.overview.syncs.title}>
          {syncs.map((sync, i) => (
            <span key={sync}>
              {i === 0 ? '' : ', '}
              <Link to={pathTo('syncs', sync)}>{sync}</Link>
            </span>
          ))}
        </Pair>
        <Pair name={t.connections.expires}>
          <At at={token.expiresAt} />
        </Pair>
        <Pair name={t.connections.issued}>
          <Ago at={token.issuedAt} missing="–" />
        </Pair>
        {token.generation === null ? null : <Pair name={t.connections.generation}>{f.number(token.generation)}</Pair>}
        {token.attempts === 0 ? null : (
          <Pair name={t.connections.attempts} className="needs">
            <Dots>
              {f.number(token.attempts)}
              {token.retryAt === null ? null : (
                <span>
                  {t.connections.retry} <Ago at={token.retryAt} />
                </span>
              )}
            </Dots>
          </Pair>
        )}
      </dl>
      <p className="faint small break">{token.advice}</p>
      <div className="actions">
        <Link to={withFilters('/audit', { connection: name })}>{t.connections.audit}</Link>
        {mayChange && token.state !== 'static' && token.state !== 'none' ? (
          <>
            <ActionButton
              label={t.connections.refresh}
              means={t.connections.refreshMeans}
              onAct={(body) => api.post('/api/connections/{name}/token/refresh', { name }, body)}
            />
            <ActionButton
              label={t.connections.revoke}
              look="danger"
              means={t.connections.revokeMeans(syncs.join(', '))}
              onAct={(body) => api.post('/api/connections/{name}/token/revoke', { name }, body)}
            />
          </>
        ) : null}
      </div>
    </section>
  );
}

function useConnections() {
  return useAnswer('/api/connections', {}, { staleTime: 30_000, refetchInterval: 60_000 });
}

/** The connections and their tokens, for the overview. */
export function ConnectionsCard() {
  const { t } = usePage();
  return (
    <Section className="card" name="connections" title={t.nav.connections}>
      <Loaded query={useConnections()}>
        {({ connections: list }) => (
          <ul className="pairs">
            {list.map(({ name, token }) => (
              <li key={name}>
                <Link to={`/connections#${name}`}>{name}</Link>
                <StateBadge of="token" state={token.state} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}
