import { countOf } from '../core/count-of.ts';
import { RollcallError } from '../core/errors.ts';
import type { EngineIo } from '../engine/engine-io.ts';
import type { ForgetResult, PersonRecord } from '../ports/store.ts';
import { note } from './audit.ts';

/** Who asks, for the audit. */
export interface SignedCaller {
  readonly by: string;
  readonly reason?: string;
  readonly via?: string;
}

/** Reads everything that the store has about one person. The audit keeps who asked, and not about whom. */
export async function exportPerson(identification: string, signed: SignedCaller, io: EngineIo): Promise<PersonRecord> {
  const record = await io.store.people.read(identification);
  await note({ action: 'export', detail: `one person: ${sizeOf(record)}`, ...signed }, io);
  return record;
}

/** Erases one person. Throws `NOT_FOUND` when the store has nothing about the person. */
export async function forgetPerson(identification: string, signed: SignedCaller, io: EngineIo): Promise<ForgetResult> {
  const record = await io.store.people.read(identification);
  if (isEmpty(record)) {
    const message = `the store has nothing about ${identification}. Identifications are case-sensitive.`;
    throw new RollcallError(message, { code: 'NOT_FOUND' });
  }
  const result = await io.store.people.forget(identification, io.clock.now());
  await note({ action: 'forget', detail: `one person: ${sizeOf(record)}`, ...signed }, io);
  return result;
}

/** Returns whether there is nothing that `forget` could erase. */
export function isEmpty({ identification: _identification, forgotten: _forgotten, ...parts }: PersonRecord): boolean {
  return Object.values(parts).every((part) => (typeof part === 'number' ? part === 0 : part.length === 0));
}

/** Describes what a record holds, without the person: `1 ledger entry, 3 changes`. */
export function sizeOf({
  ledger,
  directories,
  changes,
  findings,
  decisions,
  requests,
  notices,
  rawTexts,
}: PersonRecord): string {
  const parts = [
    [ledger.length, 'ledger entry', 'ledger entries'],
    [directories.length, 'directory entry', 'directory entries'],
    [changes.length, 'change', 'changes'],
    [findings.length, 'finding', 'findings'],
    [decisions.length, 'decision', 'decisions'],
    [requests.length, 'request', 'requests'],
    [notices, 'alert notice', 'alert notices'],
    [rawTexts, 'raw answer of another system', 'raw answers of other systems'],
  ] as const;
  const texts = parts.filter(([count]) => count > 0).map(([count, one, many]) => countOf(count, one, many));
  return texts.length === 0 ? 'nothing' : texts.join(', ');
}
