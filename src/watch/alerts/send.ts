import type { AlertDelivery, AlertNotice, Channel } from '../../ports/alerts.ts';
import type { Clock, Logger } from '../../ports/runtime.ts';
import type { Store } from '../../ports/store.ts';

export interface SendIo {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: () => number;
}

/** Timeout of one attempt. It guards a real socket, so it uses the process's own timers. */
const sendWithinMs = 20_000;
/** A process that claimed a delivery and stored no result by then has died. */
const claimMs = 60_000;
const firstWaitMs = 5000;
const longestWaitMs = 900_000;
/** Notices older than a day are not sent. */
const tooOldMs = 86_400_000;
const keptMs = 30 * 86_400_000;

/** Sends what is due, channels in parallel, and stores the results. */
export async function sendDue(channels: readonly Channel[], io: SendIo, signal: AbortSignal): Promise<void> {
  const { store, clock } = io;
  const names = channels.map(({ settings }) => settings.name);
  const now = clock.now();
  const due = await store.alerts.claim(names, now, now + claimMs);
  if (due.length === 0) return;
  await Promise.all(
    channels.map(async (channel) => {
      for (const delivery of due.filter((one) => one.channel === channel.settings.name)) {
        if (!signal.aborted) await deliver(delivery, channel, io, signal);
      }
    }),
  );
  await store.alerts.prune(now - keptMs);
}

async function deliver(delivery: AlertDelivery, channel: Channel, io: SendIo, signal: AbortSignal): Promise<void> {
  const { store, clock, logger } = io;
  const { notice, tries } = delivery;
  const fields = { notice: notice.id, channel: channel.settings.name, tries };
  const { error, receipt } = await sendOnce(channel, notice, signal, delivery.first);
  const now = clock.now();
  if (error === undefined) {
    await store.alerts.settle(notice.id, channel.settings.name, { kind: 'delivered', at: now, receipt });
    logger.info(fields, 'notice delivered');
    return;
  }
  if (now - notice.at >= tooOldMs) {
    await store.alerts.settle(notice.id, channel.settings.name, { kind: 'given-up', at: now, error });
    logger.error(
      { ...fields, error },
      'notice dropped after a day without a successful delivery: test the channel with "rollcall alerts test"',
    );
    return;
  }
  const waitMs = Math.min(firstWaitMs * 2 ** Math.min(tries - 1, 20), longestWaitMs) * (0.75 + 0.5 * io.random());
  await store.alerts.settle(notice.id, channel.settings.name, {
    kind: 'again',
    nextAt: now + Math.round(waitMs),
    error,
  });
  logger.warn({ ...fields, error, waitMs: Math.round(waitMs) }, 'notice not delivered, will be retried');
}

export interface Attempt {
  /** Why it failed. Undefined: the receiver took the notice. */
  readonly error: string | undefined;
  readonly receipt: string | undefined;
}

/** Makes one attempt. Never rejects. */
export async function sendOnce(
  channel: Channel,
  notice: AlertNotice,
  signal: AbortSignal,
  first?: string,
): Promise<Attempt> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(sendWithinMs)]);
  try {
    return { error: undefined, receipt: await channel.send(notice, limit, first) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : 'unknown', receipt: undefined };
  }
}
