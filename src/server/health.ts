import type { FastifyInstance, FastifyReply } from 'fastify';
import type { HealthParts } from './server-parts.ts';

/** A worker that has not polled for work for this long is stuck. */
export const stuckAfterMs = 60_000;
/** A dependency that does not answer within this time counts as down. */
const answerWithinMs = 2000;

/**
 * Serves `/metrics`, `/healthz`, `/readyz` and `/startupz`, without a token and without personal data. `healthz` fails
 * only for what a restart repairs, so not for a store or a platform that is down.
 */
export function serveHealth(app: FastifyInstance, parts: HealthParts, closing: AbortSignal): void {
  const { vitals, clock, metrics, settings } = parts;
  if (metrics !== undefined) {
    app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.render()));
  }
  if (settings.serves === 'metrics') return;

  app.get('/healthz', async (_request, reply) => {
    const workedAt = vitals.workedAt();
    const silentMs = workedAt === undefined ? 0 : clock.now() - workedAt;
    if (silentMs <= stuckAfterMs || closing.aborted) return answer(reply, true, {});
    const detail = `no poll for work in ${Math.round(silentMs / 1000)} s: the process is stuck and must be restarted`;
    return answer(reply, false, { worker: detail });
  });

  app.get('/readyz', async (_request, reply) => {
    if (closing.aborted) return answer(reply, false, { server: 'it is closing' });
    if (!vitals.isStarted()) return answer(reply, false, { start: 'not finished' });
    const faults = await faultsOf(parts);
    return answer(reply, faults.length === 0, Object.fromEntries(faults));
  });

  app.get('/startupz', async (_request, reply) =>
    vitals.isStarted() ? answer(reply, true, {}) : answer(reply, false, { start: 'not finished' }),
  );
}

async function faultsOf({ vitals, clock }: HealthParts): Promise<(readonly [string, string])[]> {
  const enough = new AbortController();
  const late = clock.sleep(answerWithinMs, enough.signal).then(
    () => [['store', `no answer within ${answerWithinMs} ms`] as const],
    () => [],
  );
  const asked = vitals
    .needs()
    .then((needs) => needs.flatMap(({ name, fault }) => (fault === undefined ? [] : [[name, fault] as const])));
  try {
    return await Promise.race([asked, late]);
  } finally {
    enough.abort();
  }
}

function answer(reply: FastifyReply, isWell: boolean, faults: Readonly<Record<string, string>>): FastifyReply {
  return reply.code(isWell ? 200 : 503).send({ status: isWell ? 'ok' : 'failed', faults });
}
