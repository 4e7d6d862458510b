import { notFound } from '../core/run/errors.ts';
import { countOf } from '../core/run/formats.ts';
import type { ForgetResult, PersonRecord, UnreadableValues } from '../ports/store.ts';
import type { SigningKey } from '../ports/store-operations.ts';
import type { AppIo } from './app-io.ts';
import { auditEntry, note, type SignedCaller } from './audit.ts';

/** Reads everything that the store has about one person. The audit keeps who asked, and not about whom. */
export async function readRecord(
  { engine: io }: AppIo,
  identification: string,
  signed: SignedCaller,
): Promise<PersonRecord> {
  const record = await io.store.people.read(identification);
  await note({ action: 'export', detail: `one person: ${sizeOf(record)}`, ...signed }, io);
  return record;
}

/** Returns what `erasePerson` would erase. */
export function previewForget({ engine }: AppIo, identification: string): Promise<PersonRecord> {
  return engine.store.people.read(identification);
}

/** Erases one person. Throws `NOT_FOUND` when the store has nothing about the person. */
export async function erasePerson(
  { engine: io }: AppIo,
  identification: string,
  signed: SignedCaller,
): Promise<ForgetResult> {
  const record = await io.store.people.read(identification);
  if (isEmpty(record)) {
    const message = `the store has nothing about ${identification}. Identifications are case-sensitive.`;
    throw notFound(message);
  }
  const result = await io.store.people.forget(identification, io.clock.now());
  await note({ action: 'forget', detail: `one person: ${sizeOf(record)}`, ...signed }, io);
  return result;
}

/** What `forget` keeps, and the identification itself. */
type Uncounted = 'identification' | 'forgotten';

const nouns = {
  ledger: ['ledger entry', 'ledger entries'],
  leads: ['person led', 'people led'],
  directories: ['directory entry', 'directory entries'],
  changes: ['change', 'changes'],
  findings: ['finding', 'findings'],
  corrections: ['correction for HR', 'corrections for HR'],
  decisions: ['decision', 'decisions'],
  standing: ['standing decision', 'standing decisions'],
  leavers: ['statement that the person leaves', 'statements that the person leaves'],
  requests: ['request', 'requests'],
  notices: ['alert notice', 'alert notices'],
  rawTexts: ['raw answer of another system', 'raw answers of other systems'],
  auditEntries: ['audit entry', 'audit entries'],
} as const satisfies Record<Exclude<keyof PersonRecord, Uncounted>, readonly [one: string, many: string]>;

type Part = keyof typeof nouns;
const parts = Object.keys(nouns) as readonly Part[];

/** Counts what `forget` could erase, by part of the record. */
export function countParts(record: PersonRecord): Readonly<Record<Part, number>> {
  const counts = parts.map((name) => {
    const part = record[name];
    return [name, typeof part === 'number' ? part : part.length];
  });
  return Object.fromEntries(counts);
}

/** Returns whether there is nothing that `forget` could erase. */
export function isEmpty(record: PersonRecord): boolean {
  return Object.values(countParts(record)).every((count) => count === 0);
}

/** Describes what a record holds, without the person: `1 ledger entry, 3 changes`. */
export function sizeOf(record: PersonRecord): string {
  const counts = countParts(record);
  return listCounts(parts.map((name) => [counts[name], ...nouns[name]])) || 'nothing';
}

/** Lists what there is of several things: `2 ledger entries, 3 changes`. Empty: nothing. */
function listCounts(counts: readonly (readonly [count: number, one: string, many: string])[]): string {
  return counts
    .filter(([count]) => count > 0)
    .map(([count, one, many]) => countOf(count, one, many))
    .join(', ');
}

/** Describes values that no configured key opens: `2 ledger entries, 3 changes`. */
export function describeUnreadable(values: UnreadableValues): string {
  return listCounts([
    [values.ledger, 'ledger entry', 'ledger entries'],
    [values.changes, 'change', 'changes'],
    [values.rawTexts, 'raw answer of another system', 'raw answers of other systems'],
    [values.directories, 'page of a directory', 'pages of directories'],
    [values.tokens, 'token pair', 'token pairs'],
    [values.forgotten, 'forgotten person', 'forgotten people'],
  ]);
}

/** Returns whether there is something to drop: token pairs stay until new ones replace them. */
export function isDroppable({ ledger, changes, rawTexts, forgotten }: UnreadableValues): boolean {
  return ledger + changes + rawTexts + forgotten > 0;
}

/** Drops what no configured key opens, and returns what it was. Does nothing when there is nothing to drop. */
export async function eraseUnreadable(
  { engine: io }: AppIo,
  signed: SignedCaller,
): Promise<readonly UnreadableValues[]> {
  const { store, syncs, clock } = io;
  const found = (await store.sealing.unreadable()).filter(isDroppable);
  if (found.length === 0) return found;
  const waits = [...syncs.values()].map(({ settings }) => settings.settle.unknownAfterMs);
  const detail = found.map((one) => `key ${one.keyId}: ${describeUnreadable(one)}`).join('; ');
  const entry = auditEntry({ action: 'drop-unreadable', detail, ...signed }, io);
  await store.sealing.dropUnreadable(clock.now() - Math.max(0, ...waits), entry);
  return found;
}

/** Returns the keys that sign for this deployment, the newest first. Makes one if there is none, or `isNew`. */
export async function signingKeys(
  { engine: io }: AppIo,
  signed: SignedCaller,
  isNew: boolean,
): Promise<readonly SigningKey[]> {
  const { signing } = io.store;
  const known = await signing.keys();
  if (!isNew && known.length > 0) return known;
  await signing.renew(auditEntry({ action: 'new-signing-key', ...signed }, io));
  return signing.keys();
}

/** Counts the stored values that no configured key opens, by key. */
export function countUnreadable({ engine }: AppIo): Promise<readonly UnreadableValues[]> {
  return engine.store.sealing.unreadable();
}
