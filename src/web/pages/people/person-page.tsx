import { useQuery } from '@tanstack/react-query';
import { answerOf } from '../../api/client.ts';
import type { Schemas } from '../../api/schema.ts';
import { Link, pathTo } from '../../router/router.tsx';
import { usePage } from '../../state/page-context.tsx';
import { wordOf } from '../../texts/plural.ts';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icon.tsx';
import { KindMark } from '../../ui/kind-mark.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { At } from '../../ui/time.tsx';
import { PersonSteps } from './person-steps.tsx';
import { SyncNow } from './sync-now.tsx';

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
    queryFn: ({ signal }) =>
      answerOf(api.GET('/api/syncs/{sync}/people/{identification}', { signal, params: { path } })),
    retry: false,
    staleTime: 60_000,
  });
  return (
    <>
      <p className="crumbs">
        <Link to="/people">{t.people.title}</Link> / <Link to={pathTo('syncs', sync)}>{sync}</Link>
      </p>
      <PageHead title={id} beside={<span className="faint">{nameOf(why.data)}</span>} />
      <section aria-labelledby="why-title">
        <h2 id="why-title">{t.people.why}</h2>
        <Loaded query={why}>{(data) => <Why person={data} />}</Loaded>
      </section>
      <SyncNow sync={sync} id={id} />
      <History sync={sync} id={id} />
    </>
  );
}

function Why({ person }: { readonly person: Schemas['Person'] }) {
  const { t } = usePage();
  return (
    <>
      <p className="box">
        <Icon name="right" />
        <strong className="grow break">{person.next}</strong>
      </p>
      <PersonSteps steps={person.steps} />
      <details className="stretch everything">
        <summary>{t.people.everything}</summary>
        <pre className="raw">{JSON.stringify(person, null, 2)}</pre>
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

/** The name that the mapping gives the person. */
function nameOf(person: Schemas['Person'] | undefined): string {
  const values = person?.steps.find(({ step }) => step === 'mapping')?.details ?? [];
  const textOf = (field: string): string => values.find(({ name }) => name === field)?.value ?? '';
  return `${textOf('firstName')} ${textOf('lastName')}`.trim();
}
