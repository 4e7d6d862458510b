import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf } from '../../api/client.ts';
import { problemOfError } from '../../api/problem.ts';
import type { Schemas } from '../../api/schema.ts';
import { isNothing, mostIds, orderPart, type Selection } from '../../changes/selection.ts';
import type { ChangeFilter } from '../../changes/subject.ts';
import { usePage } from '../../state/page-context.tsx';
import { classWord } from '../../texts/plural.ts';
import { Button } from '../../ui/button.tsx';
import { ProblemBox } from '../../ui/problem-box.tsx';
import { DecisionDialog } from './decision-dialog.tsx';
import { EffectWords } from './effect-words.tsx';

type Hold = Schemas['HoldDetail'];

interface Props {
  readonly hold: Hold;
  readonly filter: ChangeFilter;
  readonly selection: Selection;
  readonly total: number;
  readonly onDecided: (action: 'approve' | 'reject', verdict: Schemas['Verdict']) => void;
}

/** What is chosen, what an approval of it does, and the two decisions. The server counts, not the page. */
export function DecisionBar({ hold, filter, selection, total, onDecided }: Props) {
  const { api, t, f } = usePage();
  const [action, setAction] = useState<'approve' | 'reject'>();
  const part = orderPart(selection, filter);
  const isEmpty = isNothing(selection, total);
  const isTooMany = selection.ids.size > mostIds;
  const effect = useQuery({
    queryKey: ['hold', hold.id, 'effect', part],
    queryFn: ({ signal }) =>
      answerOf(api.POST('/api/holds/{id}/effect', { signal, params: { path: { id: hold.id } }, body: part })),
    enabled: !isEmpty && !isTooMany,
    placeholderData: keepPreviousData,
  });
  const chosen = isEmpty ? 0 : effect.data?.changes;
  const isReady = chosen !== undefined && chosen > 0 && !effect.isPlaceholderData && !isTooMany;
  const what = chosen === undefined ? '' : `${f.number(chosen)} ${classWord(t.words, hold.class, chosen)}`;
  return (
    <div className="decision">
      {effect.error === null || isEmpty ? null : (
        <ProblemBox problem={problemOfError(effect.error)} onRetry={() => void effect.refetch()} />
      )}
      <div className="grow" role="status">
        <strong>{t.holds.chosen(chosen ?? 0, hold.count)}</strong>
        <div className="faint">
          {isTooMany ? (
            t.holds.tooMany(mostIds)
          ) : isEmpty || effect.data === undefined ? (
            t.holds.chooseHint
          ) : (
            <EffectWords budget={effect.data.budget} />
          )}
        </div>
        {effect.data !== undefined && !isEmpty && effect.data.undeliverable > 0 ? (
          <div className="needs">{t.holds.undeliverable(effect.data.undeliverable)}</div>
        ) : null}
      </div>
      <div className="actions">
        <Button look="danger" disabled={!isReady} onClick={() => setAction('reject')}>
          {t.holds.reject}
        </Button>
        <Button look="main" disabled={!isReady} onClick={() => setAction('approve')}>
          {t.holds.approve(what)}
        </Button>
      </div>
      {action === undefined || effect.data === undefined ? null : (
        <DecisionDialog
          hold={hold}
          action={action}
          part={part}
          effect={effect.data}
          onClose={() => setAction(undefined)}
          onDecided={(verdict) => {
            setAction(undefined);
            onDecided(action, verdict);
          }}
        />
      )}
    </div>
  );
}
