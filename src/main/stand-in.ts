import { deploymentLease } from './deployment.ts';
import type { Engine } from './open-engine.ts';
import type { AlertLooks } from './watch-alerts.ts';

const lookMs = 5000;

/**
 * People are told by schedulers. When none is there any more nothing new begins, which is the very thing that people must
 * hear of: so a worker looks in their place as long as nobody holds the deployment. Several may; each thing is told once.
 */
export async function standInForSchedulers({ io }: Engine, alerts: AlertLooks, signal: AbortSignal): Promise<void> {
  const { store, clock } = io;
  while (!signal.aborted) {
    // A store that is away is told in the log by whoever works; this goes on when it is back.
    const isOrphaned = await store.leases.holder(deploymentLease, clock.now()).then(
      (holder) => holder === undefined,
      () => false,
    );
    if (isOrphaned && !signal.aborted) await alerts.begin(signal);
    await clock.sleep(lookMs, signal).catch(() => {});
  }
  await alerts.ended();
}
