import { useQuery } from '@tanstack/react-query';
import { answerOf } from '../../api/client.ts';
import { usePage } from '../../state/page-context.tsx';
import { useMay } from '../../state/session.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { RunDetail } from './run-detail.ts';

/** Asks about a read that a guard doubts: many employees are missing, for example. */
export function ReadDecision({ run }: { readonly run: RunDetail }) {
  const { api, t } = usePage();
  const mayAct = useMay('act');
  const holds = useQuery({
    queryKey: ['holds', run.sync],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/api/holds', { signal, params: { query: { sync: run.sync, limit: 1 } } })),
    enabled: run.facts.isReadDoubted === true,
  });
  if (holds.data?.reads.some((read) => read.run === run.id) !== true) return null;
  const doubt = typeof run.facts.doubt === 'string' ? run.facts.doubt : run.reason;
  return (
    <div className="box warn">
      <Icon name="hand" />
      <div className="grow">
        <strong>{t.runs.doubted}</strong>
        <p className="break">{doubt}</p>
        <p className="faint">{t.runs.doubtedHint}</p>
      </div>
      {mayAct ? (
        <ActionButton
          label={t.runs.acceptRead}
          means={t.runs.acceptMeans(run.counts.held)}
          look="danger"
          hasReason
          onAct={(body) => answerOf(api.POST('/api/runs/{id}/approve', { params: { path: { id: run.id } }, body }))}
        />
      ) : null}
    </div>
  );
}
