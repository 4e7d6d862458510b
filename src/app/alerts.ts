import type { ChannelTest, QuietOrder } from '../ports/alerts.ts';
import type { QuietReport } from '../views/alerts.ts';
import type { AppIo } from './app-io.ts';
import { note, type SignedCaller } from './audit.ts';

export type QuietRequest = { readonly kind: 'ack' | 'unmute' } | { readonly kind: 'mute'; readonly forMs: number };

/** Acknowledges or mutes alerts, and notes it in the audit. */
export async function quietAlerts(
  { engine: io, alerts }: AppIo,
  name: string,
  request: QuietRequest,
  caller: SignedCaller,
): Promise<QuietReport> {
  const at = io.clock.now();
  const until = request.kind === 'mute' ? at + request.forMs : undefined;
  const { by } = caller;
  const order: QuietOrder =
    until !== undefined
      ? { kind: 'mute', by, at, until }
      : request.kind === 'ack'
        ? { kind: 'ack', by, at }
        : { kind: 'unmute' };
  const subjects = await alerts.quiet(name, order);
  const detail = until === undefined ? undefined : `until ${new Date(until).toISOString()}`;
  for (const { subject } of subjects) {
    const { kind, name: about } = subject;
    // An entry names a sync or a connection. One without either is about the deployment.
    const named = kind === 'deployment' ? {} : { [kind]: about };
    await note({ ...caller, action: `alerts-${request.kind}`, ...named, detail }, io);
  }
  return { subjects, until };
}

/** Sends a test notice through every channel, or one, and notes it in the audit. */
export async function testAlerts(
  { engine: io, alerts }: AppIo,
  channel: string | undefined,
  { signal, ...signed }: SignedCaller & { readonly signal: AbortSignal },
): Promise<readonly ChannelTest[]> {
  const tests = await alerts.test(channel, signal);
  const results = tests.map(({ channel: name, error }) => `${name} ${error === undefined ? 'accepted it' : 'failed'}`);
  await note({ action: 'alerts-test', detail: results.join(', '), ...signed }, io);
  return tests;
}
