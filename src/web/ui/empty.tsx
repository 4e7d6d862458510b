import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  readonly children?: ReactNode;
}

/** Says what will be here, and what brings it. */
export function Empty({ title, children }: Props) {
  return (
    <div className="empty">
      <p>{title}</p>
      {children}
    </div>
  );
}
