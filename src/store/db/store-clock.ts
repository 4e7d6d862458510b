import { sql } from 'kysely';
import type { ClockJump } from '../../core/guard/clock-jump.ts';
import { lengthOf } from '../../core/run/formats.ts';
import type { Clock, Logger, Uptime } from '../../ports/runtime.ts';
import { type Database, inTransaction, type OpenTransaction } from './database.ts';
import { isPostgres, lockName } from './differences.ts';

/** A smaller step is a correction by a time service, and no age that decides is affected by it (ms). */
const leastJumpMs = 5_000;
/** Two processes that see the same jump measure it with this difference at most (ms). */
const sameJumpMs = 2_000;
/** How long a jump counts as `skewMs`. */
const jumpSeenMs = 600_000;
/** Above it, the log says that the machine's clock is wrong (ms). It decides nothing. */
const warnSkewMs = 2_000;

/**
 * The store's time, the same for all its processes: PostgreSQL's clock, or for SQLite the clock of the one machine that
 * uses the file. Between two checks it follows the uptime, so a process whose own clock is wrong or was set is not wrong.
 */
export interface StoreClock extends Required<Pick<Clock, 'now' | 'jumps'>>, Pick<Clock, 'skewMs'> {
  /** Reads the store's clock again. Records and logs a jump; then `now` follows it and `jumps` has it, at once. */
  check(): Promise<void>;
}

export interface ClockParts {
  /** For messages. */
  readonly place: string;
  /** The machine's clock. */
  readonly clock: Pick<Clock, 'now'>;
  /** Absent: the machine's clock is the store's, as it is. */
  readonly uptime?: Uptime;
  readonly logger?: Pick<Logger, 'warn' | 'error'>;
}

/** Two clocks that were read together. The true `at` is up to `lateMs` later, because the server's answer took that long. */
interface Reading {
  readonly uptimeMs: number;
  readonly at: number;
  readonly lateMs: number;
}

/** Opens the clock of an open store. Reads it once, so that it also finds a jump between two processes of one machine. */
export async function openStoreClock(db: Database, parts: ClockParts): Promise<StoreClock> {
  const { uptime, clock } = parts;
  if (uptime === undefined) return { now: () => clock.now(), jumps: () => [], check: async () => {} };
  const isServed = isPostgres(db);
  const read = async (): Promise<Reading> => {
    const askedAt = uptime.now();
    const at = isServed ? await askServer(db) : clock.now();
    const uptimeMs = uptime.now();
    return { uptimeMs, at, lateMs: uptimeMs - askedAt };
  };
  const first = await read();
  if (isServed) warnOfSkew(first, parts);
  // Only the processes of one machine share an uptime. With a server they may be on many, whose uptimes drift apart.
  const boot = isServed ? undefined : uptime.boot;
  let anchor: Reading = (boot === undefined ? undefined : await findMark(db, boot, first)) ?? first;
  let known = await readJumps(db);
  const shownAt = (uptimeMs: number): number => anchor.at + uptimeMs - anchor.uptimeMs;
  const storeClock: StoreClock = {
    now: () => Math.floor(shownAt(uptime.now())),
    jumps: () => known,
    skewMs() {
      const now = storeClock.now();
      if (isServed) return clock.now() - now;
      const recent = known.filter(({ after }) => after <= now && now - after < jumpSeenMs);
      return recent.reduce((sum, { before, after }) => sum + after - before, 0);
    },
    async check() {
      const { uptimeMs, at, lateMs } = await read();
      const expected = shownAt(uptimeMs);
      const actual = Math.min(Math.max(expected, at), at + lateMs);
      const jump = { before: Math.round(expected), after: Math.round(actual) };
      if (Math.abs(actual - expected) > leastJumpMs) {
        const mark = boot === undefined ? undefined : { boot, uptime_ms: Math.round(uptimeMs), at: jump.after };
        known = await recordJump(db, { jump, since: anchor.at, mark });
        tellJump(jump, parts);
      }
      anchor = { uptimeMs, at: actual, lateMs: 0 };
    },
  };
  await storeClock.check();
  return storeClock;
}

/** Returns the store's time: the server's clock, or for SQLite the machine's. */
export async function clockNow(db: Database, now: () => number): Promise<number> {
  return isPostgres(db) ? askServer(db) : now();
}

async function askServer(db: Database): Promise<number> {
  const query = sql<{ now: number }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`;
  return Number((await query.execute(db)).rows[0]?.now);
}

/** Returns what another process of this machine read, or keeps what this one has read for the others. */
async function findMark(db: Database, boot: string, first: Reading): Promise<Reading | undefined> {
  const mark = await db.selectFrom('clock_marks').selectAll().where('boot', '=', boot).executeTakeFirst();
  const known = mark && { uptimeMs: mark.uptime_ms, at: mark.at, lateMs: 0 };
  // A container may have an uptime of its own, which starts again with the container.
  if (known !== undefined && known.uptimeMs <= first.uptimeMs) return known;
  const row = { boot, uptime_ms: Math.round(first.uptimeMs), at: first.at };
  await inTransaction(db, async (transaction) => {
    await transaction.deleteFrom('clock_marks').execute();
    await transaction.insertInto('clock_marks').values(row).execute();
  });
  return undefined;
}

interface FoundJump {
  readonly jump: ClockJump;
  /** When the process last read the clock without a jump. */
  readonly since: number;
  readonly mark: { readonly boot: string; readonly uptime_ms: number; readonly at: number } | undefined;
}

/** Records a jump unless another process has done so, and moves the leases that were taken before it along with it. */
function recordJump(db: Database, { jump, since, mark }: FoundJump): Promise<readonly ClockJump[]> {
  const { before, after } = jump;
  const isSame = (one: ClockJump): boolean =>
    one.before >= since - leastJumpMs && Math.abs(one.after - one.before - (after - before)) <= sameJumpMs;
  return inTransaction(db, async (transaction) => {
    await lockName(transaction, 'clock');
    const recorded = await readJumps(transaction);
    if (recorded.some(isSame)) return recorded;
    await transaction.insertInto('clock_jumps').values({ before_at: before, after_at: after }).execute();
    if (mark !== undefined)
      await transaction.updateTable('clock_marks').set(mark).where('boot', '=', mark.boot).execute();
    await moveLeases(transaction, jump);
    return [jump, ...recorded];
  });
}

/** A lease that was renewed after the jump is right already: it ends later than `after`, if the jump was forward. */
async function moveLeases(transaction: OpenTransaction, { before, after }: ClockJump): Promise<void> {
  await transaction
    .updateTable('leases')
    .set((eb) => ({ until_at: eb('until_at', '+', after - before) }))
    .where('until_at', '>', before)
    .$if(after > before, (query) => query.where('until_at', '<=', after))
    .execute();
}

async function readJumps(db: Database | OpenTransaction): Promise<readonly ClockJump[]> {
  const rows = await db.selectFrom('clock_jumps').selectAll().execute();
  return rows.map(({ before_at, after_at }) => ({ before: before_at, after: after_at }));
}

function warnOfSkew({ at, lateMs }: Reading, { clock, logger, place }: ClockParts): void {
  const aheadMs = clock.now() - at;
  const skewMs = aheadMs < 0 ? aheadMs : Math.max(0, aheadMs - lateMs);
  if (Math.abs(skewMs) <= warnSkewMs) return;
  const text = `the clock of this machine is ${lengthOf(skewMs)} ${skewMs > 0 ? 'ahead of' : 'behind'} the clock of the store ${place}. Rollcall uses the store's; times of log lines are this machine's. Correct the clock (NTP, chrony)`;
  logger?.warn({ store: place, skewMs: Math.round(skewMs) }, text);
}

function tellJump({ before, after }: ClockJump, { logger, place }: ClockParts): void {
  const text = `the clock of the store ${place} jumped ${lengthOf(after - before)} ${after > before ? 'forward' : 'back'}. Decisions that depend on an age ignore the jump, so they may be late. Check the time service on the machine of the store (NTP, chrony)`;
  logger?.error({ store: place, jumpMs: after - before }, text);
}
