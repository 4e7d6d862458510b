import { answerOf } from '../../api/client.ts';
import type { Schemas } from '../../api/schema.ts';
import { Link, pathTo, withFilters } from '../../router/router.tsx';
import { usePage } from '../../state/page-context.tsx';
import { useMay } from '../../state/session.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Ago, At } from '../../ui/time.tsx';
import { TokenBadge } from '../../ui/token-badge.tsx';
import { useConnections } from '../overview/connections-card.tsx';

type Connection = Schemas['Connection'];

/** The connections, the state of their tokens, and what to do about it. */
export function ConnectionsPage() {
  const { t } = usePage();
  const connections = useConnections();
  return (
    <>
      <PageHead title={t.connections.title} />
      <Loaded query={connections}>
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
  const params = { path: { name } };
  return (
    <section className="card" id={name} aria-labelledby={`connection-${name}`}>
      <div className="card-head">
        <h2 id={`connection-${name}`}>{name}</h2>
        <TokenBadge state={token.state} />
      </div>
      {steps.length === 0 && token.reason === null ? null : (
        <div className="box warn">
          <div>
            {token.reason === null ? null : <p className="break">{token.reason}</p>}
            {steps.length === 0 ? null : (
              <ol className="steps">
                {steps.map((step) => (
                  <li key={step}>{step}</li>
                ))}
              </ol>
            )}
          </div>
        </div>
      )}
      <dl className="pairs">
        <div>
          <dt>{t.connections.syncs}</dt>
          <dd>
            {syncs.map((sync, i) => (
              <span key={sync}>
                {i === 0 ? '' : ', '}
                <Link to={pathTo('syncs', sync)}>{sync}</Link>
              </span>
            ))}
          </dd>
        </div>
        <div>
          <dt>{t.connections.expires}</dt>
          <dd>
            <At at={token.expiresAt} />
          </dd>
        </div>
        <div>
          <dt>{t.connections.issued}</dt>
          <dd>
            <Ago at={token.issuedAt} missing="–" />
          </dd>
        </div>
        {token.generation === null ? null : (
          <div>
            <dt>{t.connections.generation}</dt>
            <dd>{f.number(token.generation)}</dd>
          </div>
        )}
        {token.attempts === 0 ? null : (
          <div>
            <dt>{t.connections.attempts}</dt>
            <dd className="needs">
              {f.number(token.attempts)}
              {token.retryAt === null ? null : (
                <>
                  {' · '}
                  {t.connections.retry} <Ago at={token.retryAt} />
                </>
              )}
            </dd>
          </div>
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
              hasReason
              onAct={(body) => answerOf(api.POST('/api/connections/{name}/token/refresh', { params, body }))}
            />
            <ActionButton
              label={t.connections.revoke}
              look="danger"
              means={t.connections.revokeMeans(syncs.join(', '))}
              hasReason
              onAct={(body) => answerOf(api.POST('/api/connections/{name}/token/revoke', { params, body }))}
            />
          </>
        ) : null}
      </div>
    </section>
  );
}
