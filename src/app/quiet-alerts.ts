import type { Quieted, QuietOrder } from '../ports/alerts.ts';
import type { EngineIo } from '../run/engine-io.ts';
import type { QuietReport } from '../views/alerts.ts';
import type { QuietRequest } from './app.ts';
import { note, type SignedCaller } from './audit.ts';

/** What is quieted, and by which order. */
export interface QuietJob {
  /** Name of a sync or connection, or `deployment`. */
  readonly name: string;
  readonly request: QuietRequest;
  /** Applies the order to every subject of the name. */
  readonly quiet: (name: string, order: QuietOrder) => Promise<readonly Quieted[]>;
}

/** Acknowledges or mutes alerts, and notes it in the audit. */
export async function quietAlerts(
  { name, request, quiet }: QuietJob,
  { by, ...signed }: SignedCaller,
  io: EngineIo,
): Promise<QuietReport> {
  const at = io.clock.now();
  const until = request.kind === 'mute' ? at + request.forMs : undefined;
  const order = until === undefined ? ackOrUnmute(request.kind, by, at) : ({ kind: 'mute', by, at, until } as const);
  const subjects = await quiet(name, order);
  const detail = until === undefined ? undefined : `until ${new Date(until).toISOString()}`;
  for (const { subject } of subjects) {
    const { kind, name: about } = subject;
    // An entry names a sync or a connection. One without either is about the deployment.
    const named = kind === 'deployment' ? {} : { [kind]: about };
    await note({ action: `alerts-${request.kind}`, by, ...named, detail, ...signed }, io);
  }
  return { subjects, until };
}

function ackOrUnmute(kind: QuietRequest['kind'], by: string, at: number): QuietOrder {
  return kind === 'ack' ? { kind, by, at } : { kind: 'unmute' };
}
