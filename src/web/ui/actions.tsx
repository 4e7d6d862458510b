import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ButtonHTMLAttributes, type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { ApiProblem } from '../api/client.ts';
import { usePage } from '../state/page-context.tsx';
import { Icon, type IconName } from './badges.tsx';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: 'plain' | 'main' | 'danger' | 'bare';
  readonly isBusy?: boolean;
}

/** A busy button keeps the focus, and does nothing when it is pressed. */
export function Button({ look = 'plain', isBusy = false, className = '', onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`button ${look} ${className}`}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    />
  );
}

/** Copies a text, and says so until it is another text. */
export function CopyButton({ text }: { readonly text: string }) {
  const { t } = usePage();
  const [copied, setCopied] = useState<string>();
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(text);
  };
  return <Button onClick={() => void copy()}>{copied === text ? t.act.copied : t.act.copy}</Button>;
}

interface BoxProps {
  readonly look?: 'good' | 'bad' | 'warn';
  readonly icon: IconName;
  readonly role?: 'alert' | 'status';
  readonly children: ReactNode;
  /** At the other end: what can be done. */
  readonly actions?: ReactNode;
}

/** Says something that must be seen. A text alone is a paragraph. */
export function Box({ look, icon, role, children, actions }: BoxProps) {
  return (
    <div className={look === undefined ? 'box' : `box ${look}`} role={role}>
      <Icon name={icon} />
      {typeof children === 'string' ? <p className="break">{children}</p> : <div className="grow">{children}</div>}
      {actions}
    </div>
  );
}

interface ProblemProps {
  /** Null: nothing is shown. */
  readonly error: Error | null;
  readonly onRetry?: () => void;
  readonly onDismiss?: () => void;
}

/** An error stays until the user dismisses it, or tries again. */
export function ProblemBox({ error, onRetry, onDismiss }: ProblemProps) {
  const { t } = usePage();
  if (error === null) return null;
  const isRefused = error instanceof ApiProblem;
  const { detail, code, requestId } = isRefused
    ? error.problem
    : { detail: error.message, code: 'PAGE', requestId: '' };
  const actions = (
    <>
      {onRetry === undefined ? null : <Button onClick={onRetry}>{t.problem.retry}</Button>}
      {onDismiss === undefined ? null : <Button onClick={onDismiss}>{t.problem.dismiss}</Button>}
    </>
  );
  return (
    <Box look="bad" icon="warn" role="alert" actions={actions}>
      <strong>{t.problem.title}</strong>
      <p>{isRefused && error.status === 0 ? t.problem.unreachable : detail || code}</p>
      {requestId === '' ? null : (
        <p className="faint small">
          {code} · {t.problem.request(requestId)}
        </p>
      )}
    </Box>
  );
}

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A modal dialog. The browser keeps the focus inside, closes it with Escape, and returns the focus. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog !== null && !dialog.open) dialog.showModal();
  }, []);
  return (
    <dialog ref={ref} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface ActionProps<T> {
  readonly label: string;
  /** Of the dialog; default: the label. */
  readonly title?: string;
  /** What happens, before it happens. */
  readonly means: string;
  readonly look?: 'plain' | 'main' | 'danger';
  readonly disabled?: boolean;
  /** Whether the audit takes a reason. */
  readonly reason?: 'optional' | 'required' | 'none';
  /** What else the user should know, before the fields of the form. */
  readonly facts?: ReactNode;
  /** Further fields of the form. Their values are read by `onAct`. */
  readonly children?: ReactNode;
  /** The reason is absent when the user gave none. */
  readonly onAct: (given: { readonly reason?: string }) => Promise<T>;
  readonly onDone?: (result: T) => void;
}

/** A button that says what it will do, and does it after a confirmation. */
export function ActionButton<T>(props: ActionProps<T>) {
  const { label, look = 'plain', disabled } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look={look} disabled={disabled} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen ? <ConfirmDialog {...props} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

/** Says what will happen, asks for the reason, and does it. */
function ConfirmDialog<T>(props: ActionProps<T> & { readonly onClose: () => void }) {
  const { label, title = label, means, look, reason = 'optional', facts, children, onAct, onDone, onClose } = props;
  const { t } = usePage();
  const client = useQueryClient();
  const field = useRef<HTMLTextAreaElement>(null);
  const act = useMutation({
    mutationFn: (given: string) => onAct(given === '' ? {} : { reason: given }),
    onSuccess: (result) => {
      onClose();
      onDone?.(result);
    },
    // Also after a refusal: then things are not as the user saw them.
    onSettled: () => client.invalidateQueries(),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!act.isPending) act.mutate(field.current?.value.trim() ?? '');
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{means}</p>
      {facts}
      <form onSubmit={submit}>
        {children}
        {reason === 'none' ? null : (
          <label className="field">
            {t.act.reason}
            <textarea
              ref={field}
              rows={2}
              maxLength={500}
              required={reason === 'required'}
              placeholder={t.act.reasonHint}
            />
          </label>
        )}
        <ProblemBox error={act.error} onDismiss={() => act.reset()} />
        <div className="actions">
          <Button onClick={onClose}>{t.act.cancel}</Button>
          <Button type="submit" look={look === 'danger' ? 'danger' : 'main'} isBusy={act.isPending}>
            {title}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
