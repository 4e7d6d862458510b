import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { problemOfError } from '../api/problem.ts';
import { usePage } from '../state/page-context.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ProblemBox } from './problem-box.tsx';

interface Props {
  readonly label: string;
  /** What happens, before it happens. */
  readonly means: string;
  readonly look?: 'plain' | 'main' | 'danger';
  /** Whether the audit takes a reason. */
  readonly hasReason?: boolean;
  /** Further fields of the form. Their values are read by `onAct`. */
  readonly children?: ReactNode;
  readonly onAct: (reason: { readonly reason?: string }) => Promise<unknown>;
  readonly onDone?: () => void;
}

/** A button that says what it will do, and does it after a confirmation. */
export function ActionButton({ label, means, look = 'plain', hasReason = false, children, onAct, onDone }: Props) {
  const { t } = usePage();
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const act = useMutation({
    mutationFn: (reason: string) => onAct(reason === '' ? {} : { reason }),
    onSuccess: () => {
      setOpen(false);
      onDone?.();
    },
    onSettled: () => client.invalidateQueries(),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!act.isPending) act.mutate(field.current?.value.trim() ?? '');
  };
  return (
    <>
      <Button look={look} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen ? (
        <Dialog
          title={label}
          onClose={() => {
            setOpen(false);
            act.reset();
          }}
        >
          <p>{means}</p>
          <form onSubmit={submit}>
            {children}
            {hasReason ? (
              <label className="field">
                {t.act.reason}
                <textarea ref={field} rows={2} maxLength={500} placeholder={t.act.reasonHint} />
              </label>
            ) : null}
            {act.error === null ? null : (
              <ProblemBox problem={problemOfError(act.error)} onDismiss={() => act.reset()} />
            )}
            <div className="actions">
              <Button onClick={() => setOpen(false)}>{t.act.cancel}</Button>
              <Button type="submit" look={look === 'danger' ? 'danger' : 'main'} isBusy={act.isPending}>
                {label}
              </Button>
            </div>
          </form>
        </Dialog>
      ) : null}
    </>
  );
}
