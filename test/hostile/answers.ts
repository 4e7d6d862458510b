import { RollcallError } from '../../src/core/run/errors.ts';
import { startDeadline } from '../../src/drivers/http/deadline.ts';
import { AnswerInvalid } from '../../src/drivers/http/json-text.ts';
import type { Method, OperationBody } from '../../src/drivers/http/message.ts';
import { describeNetworkFailure } from '../../src/drivers/http/network-failure.ts';
import { openTransport, readBytes, type Transport } from '../../src/drivers/http/transport.ts';
import { fixedAuthority } from '../../src/sources/kit/http/authority.ts';
import { type SourceClient, withSourceClient } from '../../src/sources/kit/http/source-client.ts';
import { drawFrom } from '../support/drawn.ts';
import { FastClock } from '../support/fast-clock.ts';
import { memoryLogger } from '../support/memory-logger.ts';
import { cuts, encodings, startAnswerServer, statuses } from './answer-server.ts';
import type { Tally } from './tally.ts';

const json: OperationBody = { kind: 'json', value: { q: 1 } };
const sent = Buffer.from('id,name\n1,Ana\n');
const stream: OperationBody = {
  kind: 'stream',
  stream: {
    contentType: 'text/csv',
    contentLength: sent.length,
    open: async function* () {
      yield sent;
    },
  },
};

/** Each method with each kind of body that the code sends with it. */
const requests: readonly (readonly [Method, OperationBody | undefined])[] = [
  ['GET', undefined],
  ['GET', json],
  ['HEAD', undefined],
  ['POST', undefined],
  ['POST', json],
  ['POST', { kind: 'text', text: 'a=b' }],
  ['POST', stream],
  ['PUT', json],
  ['PATCH', json],
  ['DELETE', undefined],
  ['DELETE', json],
];

const places = statuses.flatMap((status) =>
  encodings.flatMap((encoding) => cuts.map((cut) => `/${status}/${encoding}/${cut}`)),
);

/**
 * Sends every method × status × encoding × cut through the transport, and the reads through the source client too. The
 * tests draw one in 23 of them.
 */
export async function sendAnswers(tally: Tally): Promise<void> {
  const server = await startAnswerServer();
  const transport = openTransport({ concurrency: 8, timeoutMs: 5_000 });
  const jobs = requests.flatMap(([method, body]) =>
    places.map(
      (place) => async () =>
        tally.add(`${method} ${body?.kind} ${place}`, await send(transport, method, `${server.url}${place}`, body)),
    ),
  );
  await inTurn(drawFrom(jobs, 23));
  await transport.close();
  const reads = (['GET', 'HEAD'] as const).flatMap((method) =>
    (['send', 'stream', 'receive'] as const).flatMap((way) =>
      places.map(
        (place) => async () =>
          tally.add(`source ${way} ${method} ${place}`, await read(server.url, way, method, place)),
      ),
    ),
  );
  await inTurn(drawFrom(reads, 23));
  await server.close();
}

async function inTurn(jobs: readonly (() => Promise<void>)[]): Promise<void> {
  const rest = jobs.values();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const job of rest) await job();
    }),
  );
}

/** Every third answer is left unread, as callers do that need the headers only. */
let count = 0;

async function send(
  transport: Transport,
  method: Method,
  url: string,
  body: OperationBody | undefined,
): Promise<string> {
  const deadline = startDeadline(new AbortController().signal, 5_000);
  try {
    const answer = await transport.send({ method, url, headers: {}, body }, deadline);
    count += 1;
    if (count % 3 !== 0) return `data (${(await readBytes(answer)).length} bytes)`;
    answer.discard();
    return 'data (discarded)';
  } catch (error) {
    if (deadline.hasPassed()) return 'unclassified: timeout';
    if (error instanceof AnswerInvalid) return `invalid: ${error.message}`;
    const { text } = describeNetworkFailure(error);
    return text.startsWith('the exchange with the server failed')
      ? `unclassified: ${text} ${error}`
      : `network: ${text}`;
  } finally {
    deadline.dispose();
  }
}

async function read(origin: string, way: 'send' | 'stream' | 'receive', method: 'GET' | 'HEAD', place: string) {
  const request = { name: 'corpus', method, url: `${origin}${place}` };
  const work = async (client: SourceClient): Promise<string> => {
    if (way === 'send') await client.send(request);
    if (way === 'receive') await client.receive(request, async () => undefined);
    if (way === 'stream') for await (const _ of client.stream(request));
    return 'data';
  };
  const limits = { requestsPerSecond: 1_000_000, timeout: 5_000, deadline: 0 };
  const io = {
    clock: new FastClock(0, 0),
    logger: memoryLogger(),
    signal: new AbortController().signal,
    previous: undefined,
  };
  const authority = fixedAuthority({});
  try {
    // biome-ignore lint/correctness/useYield: a read without pages.
    const reading = withSourceClient({ origin, authority, limits, io }, async function* (client): AsyncGenerator<
      never,
      string
    > {
      return await work(client);
    });
    return (await reading.next()).value;
  } catch (error) {
    return error instanceof RollcallError ? `error: ${error.code}` : `unclassified: ${error}`;
  }
}
