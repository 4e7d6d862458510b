import type { AlertSubject, AlertTopic } from '../../../ports/alerts.ts';
import type { Clock, Egress } from '../../../ports/runtime.ts';
import type { Place } from '../render-notice.ts';

/** What a channel uses besides its settings. */
export interface ChannelIo {
  readonly clock: Clock;
  /** The proxies of the environment. Undefined: none. */
  readonly egress: Egress | undefined;
  readonly place: Place;
}

/**
 * Identifies one problem at a receiver that keeps an incident for it: the same from its begin to its end, and different
 * for every deployment, subject and topic.
 */
export function incidentKey({ deployment }: Place, { kind, name }: AlertSubject, topic: AlertTopic): string {
  return `rollcall ${deployment} ${kind} ${name} ${topic}`;
}
