import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import { answerOf } from '../../api/client.ts';
import { problemOfError } from '../../api/problem.ts';
import type { Schemas } from '../../api/schema.ts';
import type { orderPart } from '../../changes/selection.ts';
import { usePage } from '../../state/page-context.tsx';
import { classWord, wordOf } from '../../texts/plural.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ProblemBox } from '../../ui/problem-box.tsx';
import { EffectWords } from './effect-words.tsx';

interface Props {
  readonly hold: Schemas['HoldDetail'];
  readonly action: 'approve' | 'reject';
  readonly part: ReturnType<typeof orderPart>;
  readonly effect: Schemas['Effect'];
  readonly onClose: () => void;
  readonly onDecided: (verdict: Schemas['Verdict']) => void;
}

/** Says what will happen, asks for the reason, and decides exactly the changes that were counted. */
export function DecisionDialog({ hold, action, part, effect, onClose, onDecided }: Props) {
  const { api, t, f } = usePage();
  const client = useQueryClient();
  const field = useRef<HTMLTextAreaElement>(null);
  const decide = useMutation({
    mutationFn: (reason: string) => {
      const asked = {
        params: { path: { id: hold.id } },
        body: { ...part, expect: effect.changes, ...(reason === '' ? {} : { reason }) },
      };
      return answerOf<Schemas['Verdict']>(
        action === 'approve' ? api.POST('/api/holds/{id}/approve', asked) : api.POST('/api/holds/{id}/reject', asked),
      );
    },
    onSuccess: onDecided,
    // Also after a refusal: then the hold is another one than the user saw.
    onSettled: () => {
      for (const key of ['hold', 'holds', 'changes', 'overview']) client.invalidateQueries({ queryKey: [key] });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!decide.isPending) decide.mutate(field.current?.value.trim() ?? '');
  };
  const what = `${f.number(effect.changes)} ${classWord(t.words, hold.class, effect.changes)}`;
  const kinds = Object.entries(effect.kinds)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${wordOf(t.words.kind, kind)} ${f.number(count)}`)
    .join(' · ');
  return (
    <Dialog title={action === 'approve' ? t.holds.approve(what) : t.holds.rejectTitle(what)} onClose={onClose}>
      <p>{action === 'approve' ? t.holds.approveMeans : t.holds.rejectMeans}</p>
      <dl className="pairs">
        <div>
          <dt>{t.holds.changes}</dt>
          <dd>{kinds}</dd>
        </div>
        {action === 'approve' ? (
          <div>
            <dt>{t.holds.takes}</dt>
            <dd>
              <EffectWords budget={effect.budget} />
            </dd>
          </div>
        ) : null}
        {effect.undeliverable > 0 && action === 'approve' ? (
          <div>
            <dt />
            <dd className="needs">{t.holds.undeliverable(effect.undeliverable)}</dd>
          </div>
        ) : null}
      </dl>
      <form onSubmit={submit}>
        <label className="field">
          {t.act.reason}
          <textarea
            ref={field}
            rows={2}
            maxLength={500}
            required={action === 'reject'}
            placeholder={t.act.reasonHint}
          />
        </label>
        {decide.error === null ? null : (
          <ProblemBox problem={problemOfError(decide.error)} onDismiss={() => decide.reset()} />
        )}
        <div className="actions">
          <Button onClick={onClose}>{t.act.cancel}</Button>
          <Button type="submit" look={action === 'approve' ? 'main' : 'danger'} isBusy={decide.isPending}>
            {action === 'approve' ? t.holds.approve(what) : t.holds.rejectTitle(what)}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
