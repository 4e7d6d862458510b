import type { Problem } from '../api/problem.ts';
import { usePage } from '../state/page-context.tsx';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

interface Props {
  readonly problem: Problem;
  readonly retryAfterSeconds?: number;
  readonly onRetry?: () => void;
  readonly onDismiss?: () => void;
}

/** An error stays until the user dismisses it, or tries again. */
export function ProblemBox({ problem, onRetry, onDismiss }: Props) {
  const { t } = usePage();
  const { status, detail, code, requestId } = problem;
  return (
    <div className="box bad" role="alert">
      <Icon name="warn" />
      <div className="grow">
        <strong>{t.problem.title}</strong>
        <p>{status === 0 && detail === '' ? t.problem.unreachable : detail || code}</p>
        {requestId === '' ? null : (
          <p className="faint small">
            {code} · {t.problem.request(requestId)}
          </p>
        )}
      </div>
      {onRetry === undefined ? null : <Button onClick={onRetry}>{t.problem.retry}</Button>}
      {onDismiss === undefined ? null : <Button onClick={onDismiss}>{t.problem.dismiss}</Button>}
    </div>
  );
}
