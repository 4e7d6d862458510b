import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf } from '../../api/client.ts';
import type { Schemas } from '../../api/schema.ts';
import { Link, pathTo } from '../../router/router.tsx';
import { usePage } from '../../state/page-context.tsx';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import type { RunDetail } from './run-detail.ts';

type Cause = RunDetail['causes'][number];
type Finding = Cause['examples'][number];

/** Findings by cause, the most frequent first, each with examples and their line in the source. */
export function FindingCauses({ run }: { readonly run: RunDetail }) {
  const { t } = usePage();
  if (run.causes.length === 0) return null;
  return (
    <section aria-labelledby="findings-title">
      <h2 id="findings-title">{t.runs.findings(run.findingsInAll)}</h2>
      <ul className="list">
        {run.causes.map((cause) => (
          <CauseEntry key={`${cause.code} ${cause.message}`} run={run} cause={cause} />
        ))}
      </ul>
    </section>
  );
}

function CauseEntry({ run, cause }: { readonly run: RunDetail; readonly cause: Cause }) {
  const { t, f } = usePage();
  const [isAll, setAll] = useState(false);
  return (
    <li className="cause">
      <code>{cause.code}</code>
      <strong>×{f.number(cause.count)}</strong>
      <div className="grow">
        <div className="break">{cause.message}</div>
        {isAll ? <AllFindings run={run} cause={cause} /> : <Findings run={run} findings={cause.examples} />}
        {isAll || cause.count <= cause.examples.length ? null : (
          <Button look="bare" onClick={() => setAll(true)}>
            {t.runs.allFindings(cause.count)}
          </Button>
        )}
      </div>
    </li>
  );
}

/** Whom findings are about, and where in the source. Of some neither is known. */
function Findings({ run, findings }: { readonly run: RunDetail; readonly findings: readonly Finding[] }) {
  const placed = findings.filter(({ identification, at }) => identification !== null || at !== null);
  if (placed.length === 0) return null;
  return (
    <ul className="findings">
      {placed.map(({ identification, at }) => (
        <li key={`${identification} ${at}`}>
          {identification === null ? null : (
            <Link to={pathTo('people', run.sync, identification)}>{identification}</Link>
          )}{' '}
          <span className="faint">{at}</span>
        </li>
      ))}
    </ul>
  );
}

function AllFindings({ run, cause }: { readonly run: RunDetail; readonly cause: Cause }) {
  const { api, t } = usePage();
  const findings = useInfiniteQuery({
    queryKey: ['run', run.id, 'findings', cause.code, cause.message],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      answerOf<Schemas['FindingPage']>(
        api.GET('/api/runs/{id}/findings', {
          signal,
          params: {
            path: { id: run.id },
            query: { code: cause.code, cause: cause.message, limit: 200, cursor: pageParam },
          },
        }),
      ),
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  return (
    <Loaded query={findings}>
      {({ pages }) => (
        <>
          <Findings run={run} findings={pages.flatMap((page) => page.findings)} />
          {findings.hasNextPage ? (
            <Button isBusy={findings.isFetchingNextPage} onClick={() => void findings.fetchNextPage()}>
              {t.act.loadMore}
            </Button>
          ) : null}
        </>
      )}
    </Loaded>
  );
}
