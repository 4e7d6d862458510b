import { openBudget } from '../core/person/field-rule.ts';
import { identificationProblem } from '../core/person/identification.ts';
import { compileSourcePath } from '../core/person/source-path.ts';
import { normalText } from '../core/person/text.ts';
import { describeError } from '../core/run/errors.ts';
import { timeHeader, type WebhookWay } from '../core/setup/webhook-ways.ts';
import type { RunScope } from '../ports/store.ts';
import type { Sync } from '../run/engine-io.ts';
import type { RequestReport } from '../views/syncs.ts';
import type { AppIo } from './app-io.ts';
import { findSync } from './find-named.ts';
import { reportOf, storeRequest } from './requests.ts';

/** A message whose proof is valid. It is not believed itself: it only says whom to read. */
export interface WebhookMessage {
  readonly by: string;
  /** The same for a repetition of the message. */
  readonly digest: string;
  /** The people that it names, by the ids of its sender. */
  readonly ids: readonly string[];
  readonly way: Pick<WebhookWay, 'field' | 'signs'> & { readonly minEveryMs: number };
  readonly signal: AbortSignal;
}

/** How long an equal message is a repetition, where no time of sending is signed. */
const briefMs = 300_000;

/** A sender counts an answer after three seconds as none. */
const lookupMs = 2000;

/** More runs than a sync has in the longest `minEvery`. */
const mostRuns = 1000;

/**
 * Requests a run about the people whom a message names. A message without names, or with one that the source does not know,
 * requests a full read: at most one starts in `minEveryMs`. Returns undefined when the message was received before.
 */
export async function takeMessage(
  io: AppIo,
  name: string,
  message: WebhookMessage,
): Promise<RequestReport | undefined> {
  const { by, digest, way } = message;
  const { clock, syncs, store } = io.engine;
  const now = clock.now();
  const isTimed = timeHeader(way) !== undefined;
  const keyOf = (period: number): string => `webhook:${name}:${digest}${isTimed ? '' : `:${period}`}`;
  const period = Math.floor(now / briefMs);
  const before = isTimed ? undefined : await store.triggers.find(keyOf(period - 1));
  if (before !== undefined && now - before.trigger.requestedAt < briefMs) return undefined;
  const identifications = await identificationsOf(message, findSync(name, syncs), io);
  const isNamed = identifications.length > 0;
  const scope: RunScope = isNamed ? { kind: 'users', identifications } : { kind: 'all', isFull: true };
  const recent = isNamed ? [] : await store.runs.list({ sync: name, since: now - way.minEveryMs, limit: mostRuns });
  const full = recent.find((run) => run.scope.kind === 'all' && run.scope.isFull === true);
  const notBefore = full === undefined ? now : full.startedAt + way.minEveryMs;
  const request = { sync: name, kind: 'webhook', scope, by, key: keyOf(period), notBefore } as const;
  const report = await reportOf(await storeRequest(request, io), io);
  return report.isNew ? report : undefined;
}

/** Returns whom the message names, all or none: whom the source does not know, only a full read can find. */
async function identificationsOf({ ids, way, signal }: WebhookMessage, sync: Sync, { engine }: AppIo) {
  const { source, mapping, settings } = sync;
  const { clock, logger } = engine;
  const { field } = way;
  if (field === undefined || field === mapping.identificationField) {
    const names = ids.map(normalText);
    return names.some((one) => identificationProblem(one) !== undefined) ? [] : [...new Set(names)];
  }
  if (ids.length === 0 || !(source.looksUp?.(field) ?? source.capabilities.point)) return [];
  const idOf = compileSourcePath(field);
  const missing = new Set(ids);
  const names = new Set<string>();
  const within = AbortSignal.any([signal, AbortSignal.timeout(lookupMs)]);
  const budget = openBudget(within);
  try {
    const io = { clock, logger, signal: within, previous: undefined };
    for await (const { records } of source.read({ kind: 'point', identifications: ids, field }, io)) {
      for (const record of records) {
        const mapped = await mapping.map(record, clock.now(), budget);
        if (mapped.kind === 'unreadable') continue;
        missing.delete(String(idOf(record.fields)));
        names.add(mapped.identification);
      }
    }
  } catch (error) {
    logger.warn({ sync: settings.name, error: describeError(error) }, 'the people of a webhook could not be looked up');
    return [];
  }
  return missing.size === 0 ? [...names] : [];
}
