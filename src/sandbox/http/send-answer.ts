import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../call.ts';
import type { StruckFaults } from '../faults/struck-faults.ts';
import { spoilBody } from './spoil-body.ts';

/** Sends the answer with the faults applied. `closing` ends a slow answer. */
export async function sendAnswer(
  response: ServerResponse,
  answer: Answer,
  faults: StruckFaults,
  closing: AbortSignal,
): Promise<void> {
  const plain = answer.body === undefined ? undefined : JSON.stringify(answer.body);
  const { status, type, body } = spoilBody({ status: answer.status, type: 'application/json', body: plain }, faults);
  const bytes = Buffer.from(body ?? '');
  response.writeHead(status, {
    ...answer.headers,
    ...(body === undefined ? {} : { 'content-type': type }),
    ...(status === 204 ? {} : { 'content-length': bytes.length }),
  });
  if (faults.has('cut-body')) {
    response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.socket?.resetAndDestroy());
    return;
  }
  const dripMs = faults.number('drip');
  if (dripMs !== undefined && !(await drip(response, bytes, dripMs, closing))) return;
  response.end(dripMs === undefined ? bytes : undefined);
}

/** Sends byte by byte. Returns false when the client disconnected or the sandbox closed. */
async function drip(response: ServerResponse, bytes: Buffer, everyMs: number, closing: AbortSignal): Promise<boolean> {
  for (const byte of bytes) {
    if (closing.aborted || response.destroyed) return false;
    response.write(Buffer.of(byte));
    await delay(everyMs, undefined, { signal: closing }).catch(() => undefined);
  }
  return !closing.aborted;
}
