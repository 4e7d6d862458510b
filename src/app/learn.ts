import { identificationProblem } from '../core/person/identification.ts';
import { chunk } from '../core/run/batch.ts';
import { conflict, usageError } from '../core/run/errors.ts';
import { countOf } from '../core/run/formats.ts';
import {
  type LearnDesk,
  type LearnEnd,
  type LearnedValues,
  type LearnLine,
  type LearnTrial,
  learnedSettings,
} from '../ports/api.ts';
import type { LearnedFacts } from '../ports/store.ts';
import { fileLeaseOf, takeFileLease, turnWaitMs } from '../run/deliver/file-lease.ts';
import type { EngineIo } from '../run/engine-io.ts';
import { type HeldLease, releaseOrExpire, takeOverLease } from '../run/lease.ts';
import type { AppIo, ConnectionAccess } from './app-io.ts';
import { note, type SignedCaller } from './audit.ts';
import { findConnection } from './find-named.ts';

/** What `learn` found out and left. */
export interface LearnReport extends LearnEnd {
  readonly connection: string;
  readonly user: string;
  readonly lines: readonly LearnLine[];
  /** Values of this time, by setting. */
  readonly learned: LearnedValues;
}

export interface LearnRequest extends SignedCaller {
  readonly connection: string;
  /** Identification of the test user. Absent: `rollcall-learn-` and the time. */
  readonly user?: string;
  /** Resolves to whether a write may be made. */
  readonly confirm: (write: string) => Promise<boolean>;
  readonly onLine: (line: LearnLine) => void;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** The next `learn` waits until the lease of one whose process died has expired. */
const learnLeaseMs = 15_000;

/**
 * Finds out with a test user what the platform's contract leaves open, and stores which settings are known. Each write is
 * confirmed, stored before it is sent, and made under the connection's file lease. Throws `USAGE` when the platform, the
 * ledger or a sync knows the test user, and `CONFLICT` while another `learn` works on the connection.
 */
export async function learnConnection(app: AppIo, request: LearnRequest): Promise<LearnReport> {
  const { engine, connections } = app;
  const { connection } = request;
  const access = findConnection(connection, connections);
  const stamp = new Date(engine.clock.now()).toISOString().replace(/\D/g, '').slice(0, 14);
  const { user = `rollcall-learn-${stamp}` } = request;
  await refuseKnownUser(user, app);
  const held = await takeLearnLease(connection, engine, request);
  const { signal } = held;
  const lines: LearnLine[] = [];
  try {
    const { trial: before } = await engine.store.learned.get(connection);
    await note({ ...request, action: 'learn' }, engine);
    const found = (line: LearnLine): void => {
      lines.push(line);
      request.onLine(line);
    };
    const desk = { ...openDesk({ ...request, signal }, user, before, engine), found };
    const end = await access.learn({ user, before, desk, signal });
    const learned: LearnedValues = Object.fromEntries(
      lines.flatMap(({ setting, value }) => (value === undefined ? [] : [[setting, value]])),
    );
    const settings = (known: LearnedFacts) => ({ ...known, settings: { ...known.settings, ...learned } });
    await engine.store.learned.update(connection, settings);
    return { connection, user, lines, learned, ...end };
  } finally {
    const { trial } = await engine.store.learned.get(connection);
    if (signal.aborted && trial !== undefined) {
      request.say(`${trial.user} may be on the platform. To remove it: rollcall learn ${connection}`);
    }
    await releaseOrExpire(held);
  }
}

/** Takes the lease of the connection's `learn`. Waits for that of one whose process died. */
async function takeLearnLease(
  connection: string,
  { store: { leases }, clock, newId }: EngineIo,
  { say, signal }: LearnRequest,
): Promise<HeldLease> {
  const name = `learn:${connection}`;
  if ((await leases.holder(name, clock.now())) !== undefined) say('waiting for another learn to end');
  const held = await takeOverLease({ name, owner: newId('learn'), ttlMs: learnLeaseMs }, { leases, clock }, signal);
  if (held !== undefined) return held;
  throw conflict(`another "rollcall learn ${connection}" is running`);
}

function openDesk(
  { connection, confirm, say, signal }: LearnRequest,
  user: string,
  before: LearnTrial | undefined,
  io: EngineIo,
): Omit<LearnDesk, 'found'> {
  const { store, clock } = io;
  const keep = (patch: Pick<LearnedFacts, 'trial'>) =>
    store.learned.update(connection, ({ trial: _, ...known }) => ({ ...known, ...patch }));
  let tested = before?.user ?? user;
  // One owner for every `learn` of the connection: the next one continues with the lease of one that died.
  const turn = { run: { connection, id: `learn:${connection}` } };
  return {
    say,
    async write(what, send) {
      if (!(await confirm(what))) return undefined;
      for (let isTold = false; ; ) {
        const { isTaken, ahead } = await takeFileLease(turn, io);
        if (isTaken) break;
        if (!isTold) say(`waiting: ${countOf(ahead, 'run')} of this connection sends a file before`);
        isTold = true;
        await clock.sleep(turnWaitMs(5000, ahead), signal);
      }
      try {
        signal.throwIfAborted();
        await keep({ trial: { user: tested, write: what, writtenAt: clock.now() } });
        return await send();
      } finally {
        await store.turns.release(fileLeaseOf(connection), turn.run.id);
      }
    },
    async cleaned() {
      await keep({});
      tested = user;
    },
  };
}

/** Throws `USAGE` for an identification that cannot be sent, or that a ledger or the last read of a sync has. */
async function refuseKnownUser(user: string, { engine, connections }: AppIo): Promise<void> {
  const { store, syncs } = engine;
  const refuse = (why: string): never => {
    throw usageError(`${user} cannot be the test user: ${why}. Name another one with --user`);
  };
  const problem = identificationProblem(user);
  if (problem !== undefined) refuse(problem);
  if (!/^[A-Za-z0-9][A-Za-z0-9._@-]{2,99}$/.test(user)) {
    refuse('it must have 3 to 100 letters, digits, dots, dashes, underscores or @');
  }
  for (const connection of connections.keys()) {
    if ((await store.ledger.get(connection, user)) !== undefined) refuse(`the ledger of ${connection} knows this user`);
  }
  for (const sync of syncs.keys()) {
    const roster = await store.rosters.open(sync);
    if (((await roster?.people([user]))?.get(user) ?? []).length > 0)
      refuse(`the last read of ${sync} has this person`);
  }
  for (const { sync, pages } of await store.directories.list()) {
    const numbers = Array.from({ length: pages }, (_, page) => page);
    for (const some of chunk(numbers, 50)) {
      const isListed = (await store.directories.read(sync, some)).some(({ rows }) =>
        rows.some(({ identification }) => identification.toLowerCase() === user.toLowerCase()),
      );
      if (isListed) refuse(`the directory of ${sync} has this person`);
    }
  }
}

/**
 * Returns the dialect settings of a connection that are neither written in the configuration nor learned; where that is
 * a whole section, as its name.
 */
export function guessesOf({ dialect }: ConnectionAccess, learned: LearnedValues): readonly string[] {
  const known = [...dialect.written, ...Object.keys(learned)];
  const isGuess = (setting: string) => !known.includes(setting);
  const sectionOf = (setting: string) => setting.replace(/\..*/, '');
  const all = learnedSettings.filter((setting) => !setting.startsWith('settle.'));
  const isWhole = (section: string) => all.every((setting) => sectionOf(setting) !== section || isGuess(setting));
  const names = all.filter(isGuess).map((setting) => (isWhole(sectionOf(setting)) ? sectionOf(setting) : setting));
  return [...new Set(names)];
}

/** Returns the learned values that differ from those in use, as `put (replaces)`. */
export function unusedLessons({ dialect }: ConnectionAccess, learned: LearnedValues): readonly string[] {
  return Object.entries(learned).flatMap(([setting, value]) => {
    const used = setting
      .split('.')
      .reduce<unknown>((part, key) => (part as Readonly<Record<string, unknown>> | undefined)?.[key], dialect.used);
    const isSame = used === undefined || JSON.stringify(used) === JSON.stringify(value);
    return isSame ? [] : [typeof value === 'object' ? setting : `${setting} (${value})`];
  });
}
