import { deploymentLease } from './deployment.ts';
import type { Engine } from './open-engine.ts';
import type { AlertChecks } from './watch-alerts.ts';

const everyMs = 5000;

/**
 * Evaluates alerts in a worker while no scheduler holds the deployment's lease, because a missing scheduler is itself
 * an alert. Several workers may do so; each notice is sent once. Returns when the signal aborts.
 */
export async function alertWithoutScheduler({ io }: Engine, alerts: AlertChecks, signal: AbortSignal): Promise<void> {
  const { store, clock } = io;
  while (!signal.aborted) {
    // The worker's jobs report a store that is not available. This loop continues when the store is back.
    const isUnscheduled = await store.leases.holder(deploymentLease, clock.now()).then(
      (holder) => holder === undefined,
      () => false,
    );
    if (isUnscheduled && !signal.aborted) await alerts.begin(signal);
    await clock.sleep(everyMs, signal).catch(() => {});
  }
  await alerts.ended();
}
