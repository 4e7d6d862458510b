import { type ReactNode, useEffect } from 'react';
import { usePage } from '../state/page-context.tsx';

interface Props {
  readonly title: string;
  /** Beside the title: badges, an address. */
  readonly beside?: ReactNode;
  /** At the other end: what can be done. */
  readonly actions?: ReactNode;
}

/** The head of a page. Its title is also the title of the tab. */
export function PageHead({ title, beside, actions }: Props) {
  const { t } = usePage();
  useEffect(() => {
    document.title = `${title} · ${t.product}`;
  }, [title, t]);
  return (
    <div className="page-head">
      <h1 tabIndex={-1}>{title}</h1>
      {beside}
      {actions === undefined ? null : <div className="actions">{actions}</div>}
    </div>
  );
}
