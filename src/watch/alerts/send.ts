import { describeError } from '../../core/run/errors.ts';
import type { AlertDelivery, AlertNotice, Channel, ChannelSettings } from '../../ports/alerts.ts';
import type { Clock, Logger } from '../../ports/runtime.ts';
import type { Store } from '../../ports/store.ts';
import { type ChannelIo, type SettingsOf, UnconfirmedError } from './channels/post-json.ts';
import { withCommands } from './render-notice.ts';

type Openers = {
  readonly [Kind in ChannelSettings['kind']]: () => Promise<(settings: SettingsOf<Kind>, io: ChannelIo) => Channel>;
};

/** Every kind of channel, one line each. It is loaded with the first notice. */
const channelKinds: Openers = {
  webhook: async () => (await import('./channels/post-json.ts')).openWebhook,
  slack: async () => (await import('./channels/chat.ts')).openSlack,
  teams: async () => (await import('./channels/chat.ts')).openTeams,
  email: async () => (await import('./channels/email.ts')).openEmail,
  pagerduty: async () => (await import('./channels/incidents.ts')).openPagerDuty,
  opsgenie: async () => (await import('./channels/incidents.ts')).openOpsgenie,
  alertmanager: async () => (await import('./channels/incidents.ts')).openAlertmanager,
};

/** Opens a channel. Connects and sends nothing before the first notice. */
export function openChannel(settings: ChannelSettings, io: ChannelIo): Channel {
  const load = channelKinds[settings.kind] as () => Promise<(settings: ChannelSettings, io: ChannelIo) => Channel>;
  let opened: Promise<Channel> | undefined;
  return {
    settings,
    async send(notice, signal, first) {
      opened ??= load().then((open) => open(settings, io));
      return (await opened).send(withCommands(notice, io.place), signal, first);
    },
  };
}

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

/** See `Alerts.send`. */
export interface Sender {
  send(signal: AbortSignal): Promise<void>;
}

export function openSender(channels: readonly Channel[], io: SendIo): Sender {
  const { store, clock, logger } = io;
  const busy = new Set<string>();
  const sendAll = async (channel: Channel, due: readonly AlertDelivery[], signal: AbortSignal): Promise<void> => {
    const { name } = channel.settings;
    busy.add(name);
    try {
      // After a failure the others of the channel wait for the next claim, because a receiver that hangs takes its time.
      for (const delivery of due) if (signal.aborted || !(await deliver(delivery, channel, io, signal))) return;
    } finally {
      busy.delete(name);
    }
  };
  return {
    async send(signal) {
      const free = channels.filter(({ settings }) => !busy.has(settings.name));
      const now = clock.now();
      try {
        const due = await store.alerts.claim(
          free.map(({ settings }) => settings.name),
          now,
          now + claimMs,
        );
        if (due.length === 0) return;
        const byChannel = Map.groupBy(due, ({ channel }) => channel);
        await Promise.all(free.map((one) => sendAll(one, byChannel.get(one.settings.name) ?? [], signal)));
        await store.alerts.prune(now - keptMs);
      } catch (error) {
        if (!signal.aborted) logger.error({ error: describeError(error) }, 'notices could not be sent');
      }
    },
  };
}

/** Makes one attempt, and stores its result. Returns whether the receiver took the notice. */
async function deliver(delivery: AlertDelivery, channel: Channel, io: SendIo, signal: AbortSignal): Promise<boolean> {
  const { store, clock, logger } = io;
  const { notice, tries } = delivery;
  const fields = { notice: notice.id, channel: channel.settings.name, tries };
  const { error, isUnconfirmed, receipt } = await sendOnce(channel, notice, signal, delivery.first);
  const now = clock.now();
  if (error === undefined) {
    await store.alerts.settle(notice.id, channel.settings.name, { kind: 'delivered', at: now, receipt });
    logger.info(fields, 'notice delivered');
    return true;
  }
  if (now - notice.at >= tooOldMs) {
    await store.alerts.settle(notice.id, channel.settings.name, { kind: 'given-up', at: now, error });
    logger.error(
      { ...fields, error },
      'notice dropped after a day without a successful delivery: test the channel with "rollcall alerts test"',
    );
    return false;
  }
  if (isUnconfirmed && tries > 1) {
    // It may have arrived. The other channels tell that this one is not sure (`undelivered`).
    await store.alerts.settle(notice.id, channel.settings.name, { kind: 'unconfirmed', at: now, error });
    logger.warn({ ...fields, error }, 'notice sent, but the receiver did not confirm it');
    return true;
  }
  const waitMs = Math.min(firstWaitMs * 2 ** Math.min(tries - 1, 20), longestWaitMs) * (0.75 + 0.5 * io.random());
  await store.alerts.settle(notice.id, channel.settings.name, {
    kind: 'again',
    nextAt: now + Math.round(waitMs),
    error,
  });
  logger.warn({ ...fields, error, waitMs: Math.round(waitMs) }, 'notice not delivered, will be retried');
  return false;
}

export interface Attempt {
  /** Why it failed. Undefined: the receiver took the notice. */
  readonly error: string | undefined;
  /** The receiver answered 2xx, and may have taken it. */
  readonly isUnconfirmed?: boolean;
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
    const isUnconfirmed = error instanceof UnconfirmedError;
    return { error: error instanceof Error ? error.message : 'unknown', isUnconfirmed, receipt: undefined };
  }
}
