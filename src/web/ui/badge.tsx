import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

/** `bad` is for what needs a person. */
export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'quiet';

interface Props {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly title?: string;
  readonly children: ReactNode;
}

/** A state with an icon and a word: color never speaks alone. */
export function Badge({ tone, icon, title, children }: Props) {
  return (
    <span className={`badge ${tone}`} title={title}>
      <Icon name={icon} />
      {children}
    </span>
  );
}
