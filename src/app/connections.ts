import { watchFields } from '../core/guard/field-visibility.ts';
import { loosenedWords } from '../core/guard/loosened.ts';
import type { ReadEnd } from '../core/plan/snapshot.ts';
import { PlatformError, RollcallError } from '../core/run/errors.ts';
import { countOf, formatInstant } from '../core/run/formats.ts';
import { nextRead } from '../core/run/next-read.ts';
import { oddColumns } from '../core/setup/drift.ts';
import type { ReadRequest, SourceIo, SourcePage } from '../ports/source.ts';
import type { TokenStatus } from '../ports/tokens.ts';
import type { EngineIo, Sync } from '../run/engine-io.ts';
import { absentFields, nameAbsent, quoteAdvice } from '../run/read/choose-read.ts';
import { findOrphans } from './accounts/orphans.ts';
import type { AppIo, CheckLine, ConnectionAccess } from './app-io.ts';
import { changedSafeguards, note, type SignedCaller } from './audit.ts';
import { asStored, findConnection, storedName } from './find-named.ts';
import { guessesOf, unusedLessons } from './learn.ts';
import { describeUnreadable } from './privacy.ts';
import { nextRunWords } from './syncs.ts';

/** A file id that no platform issues: an existing status endpoint answers that it does not know the file. */
const noSuchFile = '0';

/** Checks everything that a run needs, and changes nothing. Continues after a failure, so that all of them are reported. */
export async function* checkAll(
  io: AppIo,
  only: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<CheckLine, void> {
  const { engine, connections, configPath, plainText, checkRedis } = io;
  if (only !== undefined) findConnection(only, connections);
  yield* configurationLines(configPath, plainText);
  yield* checkKeys(engine);
  yield* checkAudit(engine);
  if (checkRedis !== undefined) yield await checkRedis();
  for (const [name, connection] of connections) {
    if (only !== undefined && only !== name) continue;
    yield* checkConnection(name, connection, engine.clock.now(), signal);
    yield await checkDialect(name, connection, engine);
  }
  for (const { id, sync } of await io.endOrphans(signal)) {
    const message = `sync ${sync} is not configured, so its open run ${id} was ended. The next run of the connection reads back what it sent`;
    yield { subject: `sync ${sync}`, state: 'warning', message };
  }
  for (const { connection, message } of await findOrphans(engine)) {
    yield { subject: `connection ${connection}`, state: 'failed', message };
  }
  const changed = await changedSafeguards(
    [...engine.syncs.keys()].map((name) => asStored(engine, name).sync.settings),
    engine,
  );
  for (const [name, sync] of engine.syncs) {
    if (only !== undefined && sync.settings.connection !== only) continue;
    const found = changed.find(({ now }) => now.sync === storedName(name, engine.syncs));
    yield* (found?.loosened ?? []).map((one): CheckLine => {
      const message = `${loosenedWords(one)} (looser than in the last run)`;
      return { subject: `sync ${name}`, state: 'warning', message, loosened: one };
    });
    const subject = `sync ${name}`;
    const message = nextRunWords(io, name);
    if (message !== undefined) yield { subject, state: 'ok', message };
    try {
      yield { subject, ...(await checkSource(sync, engine, signal)) };
      const deltas = await checkDeltas(sync, engine, signal);
      if (deltas !== undefined) yield { subject, ...deltas };
    } catch (error) {
      signal.throwIfAborted();
      yield failed(subject, error);
    }
  }
}

/** Returns the lines about a configuration that was read without a problem, and about what it leaves in plain text. */
export function configurationLines(configPath: string, plainText: readonly string[]): readonly CheckLine[] {
  const warnings = plainText.map((message) => ({ subject: 'configuration', state: 'warning', message }) as const);
  return [{ subject: 'configuration', state: 'ok', message: `${configPath} is valid` }, ...warnings];
}

/** Reports every key whose values cannot be opened. A run stops at the first of them. */
async function* checkKeys({ store }: Pick<EngineIo, 'store'>): AsyncGenerator<CheckLine, void> {
  for (const one of await store.sealing.unreadable()) {
    const message =
      `${describeUnreadable(one)} sealed with the key ${one.keyId}, which is not configured. Name that key in ` +
      'formerEncryptionKeys. If the key is lost, "rollcall admin keys drop-unreadable" lists the values, and drops them after a confirmation';
    yield { subject: 'store', state: 'failed', message };
  }
}

/** Proves the chain of the audit. Says nothing while there are no entries. */
async function* checkAudit({ store }: Pick<EngineIo, 'store'>): AsyncGenerator<CheckLine, void> {
  const { from, to, forgotten, broken } = await store.audit.prove();
  const subject = 'audit';
  if (broken !== undefined) {
    const message = `the audit chain is broken: ${broken}. Something other than Rollcall changed the store: compare it with a backup`;
    yield { subject, state: 'failed', message };
  } else if (to > 0) {
    const pruned = from === 0 ? '' : `; ${countOf(from, 'older entry was', 'older entries were')} pruned`;
    const people = forgotten === 0 ? '' : `; the texts of ${forgotten} were erased with forgotten people`;
    yield {
      subject,
      state: 'ok',
      message: `the chain holds for ${countOf(to - from, 'entry', 'entries')}${pruned}${people}`,
    };
  }
}

async function* checkConnection(
  name: string,
  { platform, tokens }: ConnectionAccess,
  now: number,
  signal: AbortSignal,
): AsyncGenerator<CheckLine, void> {
  const subject = `connection ${name}`;
  const token = await tokens.status();
  const { expiresAt } = token;
  const isOver = token.state === 'static' && expiresAt !== undefined && expiresAt <= now;
  const isUsable = ['ready', 'static', 'refreshing'].includes(token.state) && !isOver;
  const isLimited = token.state === 'reauth-required' || token.state === 'static';
  const until =
    expiresAt === undefined || !isLimited
      ? ''
      : isOver
        ? `It expired ${formatInstant(expiresAt)}. `
        : now < expiresAt
          ? `Syncs work until ${formatInstant(expiresAt)}. `
          : '';
  const message = `token: ${token.state}. ${until}${token.advice}`.trim();
  yield { subject, state: isUsable ? 'ok' : 'warning', message };
  try {
    let users = 0;
    for await (const page of platform.scan(signal)) users += page.users.length;
    yield { subject, state: 'ok', message: `user search: ${countOf(users, 'user')} found` };
  } catch (error) {
    yield failed(subject, error);
    return;
  }
  try {
    const status = await platform.status(noSuchFile, signal);
    const message =
      status.kind === 'no-status'
        ? 'file status: the platform returns "not found" for an unknown file. If it also does so for real files, Rollcall reads users back instead'
        : 'file status: the endpoint answers';
    yield { subject, state: 'ok', message };
  } catch (error) {
    // The contract lists 400 for this call, and no 404.
    const isRefused = error instanceof PlatformError && error.status === 400;
    yield isRefused
      ? { subject, state: 'ok', message: 'file status: the endpoint answers, and refuses an unknown file' }
      : { ...failed(subject, error), state: 'warning' };
  }
}

/** Says which dialect settings are only the defaults: the configuration does not state them, and nothing was learned. */
async function checkDialect(name: string, access: ConnectionAccess, { store }: EngineIo): Promise<CheckLine> {
  const { settings = {} } = await store.learned.get(name);
  const subject = `connection ${name}`;
  const unused = unusedLessons(access, settings);
  if (unused.length > 0) {
    const message = `dialect: learn found other values than those in use: ${unused.join(', ')}. Set them in connections.${name}.dialect`;
    return { subject, state: 'warning', message };
  }
  const { state } = await access.tokens.status();
  // A configured token is never exchanged.
  const guesses = guessesOf(access, settings).filter((name) => name !== 'expiresIn' || state !== 'static');
  if (guesses.length === 0) return { subject, state: 'ok', message: 'dialect: every setting is configured or learned' };
  const untested = countOf(guesses.length, 'setting is', 'settings are');
  const message = `dialect: ${untested} untested (${guesses.join(', ')}). To test them: rollcall learn ${name}`;
  return { subject, state: 'ok', message };
}

function failed(subject: string, error: unknown): CheckLine {
  if (!(error instanceof RollcallError)) throw error;
  return { subject, state: 'failed', message: error.message };
}

type Verdict = Omit<CheckLine, 'subject'>;

/**
 * Checks access to a source and the mapped fields: by its list of fields, if it has one, and by the first page of a
 * read. Presents no first refresh token. Throws the errors of the source.
 */
export async function checkSource(
  sync: Sync,
  { clock, logger }: Pick<EngineIo, 'clock' | 'logger'>,
  signal: AbortSignal,
): Promise<Verdict> {
  const io = { clock, logger, signal, previous: undefined };
  const fields = await sync.source.fields(io);
  const absent = fields === undefined ? [] : absentFields(sync.mapping.reads, fields);
  if (fields !== undefined && absent.length > 0) {
    const has = fields.length === 0 ? 'It has no fields' : `It has: ${fields.join(', ')}`;
    const message = `the source has no ${nameAbsent(absent, fields)}. ${quoteAdvice(absent, sync)}${has}`;
    return { state: 'failed', message };
  }
  const first = await readFirstPage(sync, { kind: 'full' }, io);
  if (!('complete' in first)) return judgePage(first, fields, sync);
  const why = first.complete ? 'the source excludes every record' : first.reasons.join('; ');
  return { state: 'failed', message: `source: access works, but the read is empty: ${why}` };
}

/**
 * Checks that the source answers a delta read, and reports which read the next run makes. Returns undefined for a sync
 * without deltas.
 */
async function checkDeltas(
  sync: Sync,
  { clock, logger, store }: Pick<EngineIo, 'clock' | 'logger' | 'store'>,
  signal: AbortSignal,
): Promise<Verdict | undefined> {
  const { source, settings, fingerprint } = sync;
  const { name, deltas } = settings;
  if (deltas === undefined) return undefined;
  const now = clock.now();
  const watermark = await store.reads.watermark(name);
  const grounds = { deltas, canDelta: source.capabilities.delta, isFullRequested: false, watermark, fingerprint, now };
  const next = nextRead(grounds);
  if (!grounds.canDelta) return { state: 'warning', message: `deltas: ${next.kind === 'full' ? next.reason : ''}` };
  try {
    const request = { kind: 'delta', since: new Date(now).toISOString() } as const;
    await readFirstPage(sync, request, { clock, logger, signal, previous: undefined });
  } catch (error) {
    if (signal.aborted || !(error instanceof RollcallError)) throw error;
    return { state: 'failed', message: `deltas: the delta read failed: ${error.message}` };
  }
  const works = 'deltas: the source answers delta reads';
  if (next.kind === 'full')
    return { state: 'ok', message: `${works}. The next run makes a full read, because ${next.reason}` };
  const dueAt = formatInstant(next.from.fullAt + deltas.fullEveryMs);
  return {
    state: 'ok',
    message: `${works} (since ${formatInstant(next.since)}). The next full read is due at ${dueAt}`,
  };
}

/** Returns the first page, or the end of a read without pages. */
async function readFirstPage({ source }: Sync, request: ReadRequest, io: SourceIo): Promise<SourcePage | ReadEnd> {
  const reading = source.read(request, io);
  try {
    return (await reading.next()).value;
  } finally {
    await reading.return({ complete: false, rows: 0, reasons: ['stopped'] });
  }
}

function judgePage(
  { records, broken }: SourcePage,
  fields: readonly string[] | undefined,
  { settings, mapping }: Sync,
): Verdict {
  const [bad] = broken;
  if (records.length === 0) {
    const message = `source: access works, but no record of the first page can be read: ${bad?.at}: ${bad?.reason}`;
    return { state: 'failed', message };
  }
  const unreadable = bad === undefined ? '' : ` and ${broken.length} that cannot be read (${bad.at}: ${bad.reason})`;
  const works = `source: access works; the first page has ${countOf(records.length, 'record')}${unreadable}`;
  const watch = watchFields(mapping.reads);
  for (const record of records) watch.see(record);
  const visibility = watch.visibility();
  const unseen = [...mapping.readers].filter(([read]) => visibility[read] !== true);
  if (unseen.length > 0) {
    const names = unseen.map(([read, readers]) => `${read} (for ${readers.join(', ')})`).join('; ');
    const message =
      `${works}. It does not show these mapped fields: ${names}. Later records may have them, or a name is misspelled, ` +
      `or access to the field is not granted. To read all records: rollcall source try ${settings.name}`;
    return { state: 'warning', message };
  }
  const odd = oddColumns(records, settings);
  if (odd.length > 0) {
    const advice = `Columns may be swapped: compare the export with syncs.${settings.name}.mapping`;
    return { state: 'warning', message: `${works}. ${advice}. ${odd.join('; ')}` };
  }
  const known = fields === undefined ? '' : ` (${countOf(fields.length, 'field')})`;
  const message = `${works}, and every mapped field is present${known}`;
  return { state: bad === undefined ? 'ok' : 'warning', message };
}

/** Refreshes or revokes tokens. The audit also keeps a failure, because the platform or the store may have changed. */
export async function changeTokens(
  { connections, engine }: AppIo,
  verb: 'refresh' | 'revoke',
  connection: string,
  { signal, ...caller }: SignedCaller & { readonly signal: AbortSignal },
): Promise<TokenStatus> {
  const { tokens } = findConnection(connection, connections);
  const act = { ...caller, action: `token-${verb}`, connection } as const;
  try {
    const report = await tokens[verb](signal);
    await note({ ...act, detail: `now ${report.state}` }, engine);
    return report;
  } catch (error) {
    const code = error instanceof RollcallError ? error.code : 'UNEXPECTED';
    await note({ ...act, detail: `failed: ${code}` }, engine).catch(() => {});
    throw error;
  }
}

export async function readTokens({ connections }: AppIo, connection: string): Promise<TokenStatus> {
  return findConnection(connection, connections).tokens.status();
}
