import { useQuery } from '@tanstack/react-query';
import { answerOf } from '../../api/client.ts';
import { Link, pathTo } from '../../router/router.tsx';
import { usePage } from '../../state/page-context.tsx';
import { wordOf } from '../../texts/plural.ts';
import { Empty } from '../../ui/empty.tsx';
import { KindMark } from '../../ui/kind-mark.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { At } from '../../ui/time.tsx';
import { type Explained, readExplained } from './explained.ts';

interface Props {
  readonly sync: string;
  readonly id: string;
}

/** Why a person is as they are. The stored history is shown also when the source cannot be read. */
export function PersonPage({ sync, id }: Props) {
  const { api, t } = usePage();
  const path = { sync, identification: id };
  const why = useQuery({
    queryKey: ['person', sync, id],
    queryFn: async ({ signal }) =>
      readExplained(await answerOf(api.GET('/api/syncs/{sync}/people/{identification}', { signal, params: { path } }))),
    retry: false,
    staleTime: 60_000,
  });
  return (
    <>
      <p className="crumbs">
        <Link to="/people">{t.people.title}</Link> / <Link to={pathTo('syncs', sync)}>{sync}</Link>
      </p>
      <PageHead title={id} />
      <section aria-labelledby="why-title">
        <h2 id="why-title">{t.people.why}</h2>
        <Loaded query={why}>{(data) => <Why explained={data} />}</Loaded>
      </section>
      <History sync={sync} id={id} />
    </>
  );
}

function Why({ explained }: { readonly explained: Explained }) {
  const { t } = usePage();
  const words = t.people;
  const { says, failure, records, isFound, isEnabled, owner, change, forbidden, rule, findings, next } = explained;
  return (
    <>
      <dl className="card pairs facts-of">
        <div>
          <dt>{words.source}</dt>
          <dd>
            {says ?? failure ?? words.nothingDecided} · {words.records(records)}
          </dd>
        </div>
        <div>
          <dt>{words.platform}</dt>
          <dd>{isFound ? (isEnabled ? words.enabled : words.disabled) : words.noUser}</dd>
        </div>
        <div>
          <dt>Rollcall</dt>
          <dd>{owner === undefined ? words.neverWritten : words.ownedBy(owner)}</dd>
        </div>
        <div>
          <dt>{words.decision}</dt>
          <dd>
            {change ?? (forbidden === undefined ? words.noChange : words.forbidden(forbidden))}
            {rule === undefined ? '' : ` (${rule})`}
          </dd>
        </div>
        {next === undefined ? null : (
          <div>
            <dt>{words.next}</dt>
            <dd>{next}</dd>
          </div>
        )}
        {findings.map((message) => (
          <div key={message}>
            <dt>{words.finding}</dt>
            <dd className="needs">{message}</dd>
          </div>
        ))}
      </dl>
      <details className="stretch everything">
        <summary>{words.everything}</summary>
        <pre className="raw">{explained.text}</pre>
      </details>
    </>
  );
}

function History({ sync, id }: Props) {
  const { api, t } = usePage();
  const path = { sync, identification: id };
  const history = useQuery({
    queryKey: ['person', sync, id, 'history'],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/api/syncs/{sync}/people/{identification}/history', {
          signal,
          params: { path, query: { limit: 50 } },
        }),
      ),
  });
  return (
    <section aria-labelledby="history-title">
      <h2 id="history-title">{t.people.history}</h2>
      <Loaded query={history}>
        {({ history: list }) =>
          list.length === 0 ? (
            <Empty title={t.people.noHistory} />
          ) : (
            <ul className="list">
              {list.map(({ run, at, kind, state, stateReason, reason, hash }) => (
                <li key={`${run} ${hash}`}>
                  <KindMark kind={kind} />
                  <div className="grow">
                    <Link to={pathTo('runs', run)}>
                      <At at={at} />
                    </Link>{' '}
                    · {wordOf(t.words.changeState, state)} · <span className="faint">{stateReason ?? reason}</span>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}
