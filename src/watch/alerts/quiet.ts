import { RollcallError } from '../../core/run/errors.ts';
import type { AlertState, AlertSubject, Quieted, QuietOrder } from '../../ports/alerts.ts';
import type { Store } from '../../ports/store.ts';
import { acknowledge } from './decide-alerts.ts';

/** A process that evaluates alerts at the same moment may write first. */
const mostTries = 20;

/** Applies the order to each of the subjects. Throws `CONFLICT` when other processes keep writing the same state. */
export async function quietAlerts(
  subjects: readonly AlertSubject[],
  order: QuietOrder,
  { store, now }: { readonly store: Pick<Store, 'alerts'>; readonly now: number },
): Promise<readonly Quieted[]> {
  const quieted: Quieted[] = [];
  for (const subject of subjects) quieted.push(await quiet(subject, order, store, now));
  return quieted;
}

async function quiet(
  subject: AlertSubject,
  order: QuietOrder,
  store: Pick<Store, 'alerts'>,
  now: number,
): Promise<Quieted> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const before = (await store.alerts.state(subject)) ?? freshState(subject, now);
    const next = applied(before, order);
    if (next === before || (await store.alerts.save(before.version, next, []))) {
      return { subject, open: Object.keys(before.problems).length };
    }
  }
  const message = `the alerts of ${subject.kind} ${subject.name} are being written by another process. Try again`;
  throw new RollcallError(message, { code: 'CONFLICT' });
}

function applied(before: AlertState, order: QuietOrder): AlertState {
  if (order.kind === 'ack') return acknowledge(before, order.by, order.at);
  const { muted: _, ...rest } = before;
  return order.kind === 'unmute' ? rest : { ...rest, muted: { until: order.until, by: order.by } };
}

/** The state of a subject that was never evaluated. */
export function freshState(subject: AlertSubject, now: number): AlertState {
  return { subject, version: 0, problems: {}, firstSeenAt: now, judgedUntil: 0, judgedRuns: [] };
}
