import {
  type FieldName,
  type FieldValues,
  fieldTable,
  fieldTraits,
  type Leaders,
  type User,
} from '../../src/core/person/fields.ts';
import { PlatformError } from '../../src/core/run/errors.ts';
import { scanRequests } from '../../src/core/run/requests.ts';
import type { FileStatus, LeadersLookup, Lookup, Platform } from '../../src/ports/platform.ts';
import type { Life, Scheduler } from './scheduler.ts';

export interface CommunityFaults {
  /** A call that certainly did nothing; one whose answer is lost, before or after it was done. */
  readonly refused: number;
  readonly lost: number;
  /** A scan that cannot be proven complete; a user whom read and search tell differently. */
  readonly scan: number;
  readonly unclear: number;
  /** Of files: one that fails although its rows are good, one whose status never ends, one that holds a bad row. */
  readonly fails: number;
  readonly stuck: number;
  readonly badRow: number;
  readonly oddStatus: number;
  /** How long writes stay unseen, and files are worked on, at most. */
  readonly unseenMs: number;
  readonly workMs: number;
}

export const soundCommunity: CommunityFaults = {
  refused: 0,
  lost: 0,
  scan: 0,
  unclear: 0,
  fails: 0,
  stuck: 0,
  badRow: 0,
  oddStatus: 0,
  unseenMs: 0,
  workMs: 4000,
};

export interface AccountState {
  readonly enabled: boolean;
  readonly fields: FieldValues;
  readonly lastUpdate: string;
}

/** One change of leaders that the platform took. */
export interface LeaderEffect {
  readonly identification: string;
  readonly command: 'lead' | 'unlead' | 'outside';
  readonly at: number;
  readonly before: Leaders;
  readonly after: Leaders;
}

const noLeaders: Leaders = { main: undefined, secondary: [] };

interface ShownLeaders {
  readonly current: Leaders;
  readonly shown: Leaders;
  readonly shownAt: number;
}

interface Account {
  readonly id: string;
  current: AccountState | undefined;
  shown: AccountState | undefined;
  shownAt: number;
}

export type EffectKind = 'create' | 'update' | 'enable' | 'disable' | 'remove';

/** One row or call that the platform took, by whom, and when it was handed in. */
export interface Effect {
  readonly n: number;
  readonly identification: string;
  /** What the row or call asked for: I, U and D, or the call. */
  readonly command: 'I' | 'U' | 'D' | 'remove' | 'outside';
  readonly batch: string;
  readonly handedInAt: number;
  readonly at: number;
  readonly before: AccountState | undefined;
  readonly after: AccountState | undefined;
}

/** The request behind an effect. */
interface Origin extends Pick<Effect, 'batch' | 'handedInAt'> {
  /** When it takes effect: now, if not given. */
  readonly at?: number;
  /** The effect is visible without delay. */
  readonly isAtOnce?: boolean;
}

export interface Row {
  readonly command: 'I' | 'U' | 'D';
  readonly identification: string;
  readonly fields: FieldValues;
}

interface WorkedFile {
  readonly id: string;
  readonly batch: string;
  readonly rows: readonly Row[];
  readonly handedInAt: number;
  readonly readyAt: number;
  readonly end: 'done' | 'failed' | 'stuck';
  readonly blockedUntil: number;
  readonly oddStatus: boolean;
  isWorked: boolean;
}

export interface SimulatedPlatform extends Platform {
  /** Names the batch that the next direct calls belong to. */
  begin(batch: string): void;
  uploadRows(batch: string, rows: readonly Row[], signal: AbortSignal): Promise<string>;
}

type Fate = 'fine' | 'lost-before' | 'lost-after';

/** The platform by its contract, with whatever the contract leaves open going wrong. */
export class Community {
  faults: CommunityFaults = soundCommunity;
  readonly effects: Effect[] = [];
  /** Called before anything is taken from us: the oracle looks whether it may be. */
  onHandIn: (batch: string, rows: readonly { identification: string; command: Effect['command'] }[]) => Promise<void> =
    async () => {};
  readonly #accounts = new Map<string, Account>();
  readonly leaderEffects: LeaderEffect[] = [];
  readonly #leaders = new Map<string, ShownLeaders>();
  readonly #files: WorkedFile[] = [];
  readonly #scheduler: Scheduler;
  #number = 0;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** What is there really, whatever is shown. */
  state(identification: string): AccountState | undefined {
    this.#work();
    return this.#accounts.get(identification)?.current;
  }

  get identifications(): readonly string[] {
    return [...this.#accounts.keys()];
  }

  /** Who leads the person really, whatever is shown. */
  leadersOf(identification: string): Leaders {
    return this.#leaders.get(identification)?.current ?? noLeaders;
  }

  /** Somebody else sets the leaders of a person by hand. */
  meddleWithLeaders(identification: string, leaders: Leaders): void {
    this.#writeLeaders(identification, leaders, 'outside');
  }

  /** Somebody else changes an account. */
  meddle(identification: string, change: Partial<Pick<AccountState, 'enabled' | 'fields'>> | 'remove'): void {
    this.#work();
    const now = this.state(identification);
    if (change === 'remove')
      this.#write(identification, undefined, 'outside', { batch: '', handedInAt: this.#scheduler.now() });
    else {
      const enabled = change.enabled ?? now?.enabled ?? true;
      const fields = { ...now?.fields, ...change.fields };
      this.#write(identification, { enabled, fields }, 'outside', { batch: '', handedInAt: this.#scheduler.now() });
    }
  }

  /** Nothing is left to be worked on, and everything is shown. */
  calm(): void {
    this.faults = soundCommunity;
    this.#scheduler.jump(3_600_000);
    this.#work();
  }

  platformFor(life: Life, authorize: (signal: AbortSignal) => Promise<void>): SimulatedPlatform {
    const scheduler = this.#scheduler;
    const read = async <T>(operation: string, signal: AbortSignal, work: () => T | Promise<T>): Promise<T> => {
      await authorize(signal);
      await scheduler.pass(life);
      signal.throwIfAborted();
      this.#work();
      if (scheduler.chance(this.faults.refused)) throw failed(operation, 'none');
      const result = await work();
      await scheduler.pass(life);
      return result;
    };
    const write = async <T>(operation: string, signal: AbortSignal, work: () => T | Promise<T>): Promise<T> => {
      await authorize(signal);
      await scheduler.pass(life);
      signal.throwIfAborted();
      this.#work();
      if (scheduler.chance(this.faults.refused)) throw failed(operation, 'none');
      const fate: Fate = scheduler.chance(this.faults.lost) ? scheduler.pick(['lost-before', 'lost-after']) : 'fine';
      if (fate === 'lost-before') {
        await scheduler.sleep(life, 30_000);
        throw failed(operation, 'unknown');
      }
      const result = await work();
      await scheduler.pass(life);
      if (fate === 'fine') return result;
      await scheduler.sleep(life, 30_000);
      throw failed(operation, 'unknown');
    };
    let batch = '';
    return {
      begin: (name) => {
        batch = name;
      },
      scanCost: () => (this.#accounts.size % 2 === 0 ? undefined : scanRequests(this.#accounts.size, 4)),
      scan: (signal) => this.#scan(life, authorize, signal),
      find: (identification, signal) => read('GET users/{identification}', signal, () => this.#find(identification)),
      create: ({ identification, fields }, signal) =>
        write('POST users', signal, async () => {
          await this.onHandIn(batch, [{ identification, command: 'I' }]);
          if (this.state(identification) !== undefined) throw refused('POST users');
          this.#apply({ command: 'I', identification, fields }, { batch, handedInAt: scheduler.now() });
          return { userId: this.#accounts.get(identification)?.id ?? '' };
        }),
      update: (_target, { identification, fields }, signal) =>
        write('PUT users', signal, async () => {
          await this.onHandIn(batch, [{ identification, command: 'U' }]);
          const now = this.state(identification);
          if (now === undefined) throw refused('PUT users');
          this.#write(identification, { enabled: now.enabled, fields: { ...now.fields, ...fields } }, 'U', {
            batch,
            handedInAt: scheduler.now(),
          });
        }),
      rename: () => Promise.reject(new RangeError('a simulated run renames nobody')),
      remove: (identification, _options, signal) =>
        write('DELETE users/{identification}', signal, async () => {
          await this.onHandIn(batch, [{ identification, command: 'remove' }]);
          if (this.state(identification) === undefined) throw refused('DELETE users/{identification}');
          this.#write(identification, undefined, 'remove', { batch, handedInAt: scheduler.now() });
        }),
      upload: () => Promise.reject(new RangeError('rows are handed in, not files')),
      uploadRows: (name, rows, signal) => write('POST admin/userFiles', signal, () => this.#take(name, rows)),
      status: (id, signal) => read('GET admin/userFiles/{id}', signal, () => this.#status(id)),
      leaders: (identification, signal) =>
        read('GET users/{identification}/leaders', signal, () => this.#findLeaders(identification)),
      lead: (identification, { main, secondary = [] }, signal) =>
        write('POST leaders', signal, () => {
          const now = this.leadersOf(identification);
          const isOther = main !== undefined && now.main !== undefined && now.main !== main;
          const all = [identification, ...(main === undefined ? [] : [main]), ...secondary];
          if (isOther || all.some((one) => this.state(one) === undefined)) throw refused('POST leaders');
          const after = {
            main: main ?? now.main,
            secondary: [...new Set([...now.secondary, ...secondary])].toSorted(),
          };
          this.#writeLeaders(identification, after, 'lead');
        }),
      unlead: (identification, { main, secondary = [] }, signal) =>
        write('DELETE leaders', signal, () => {
          if (this.state(identification) === undefined) throw refused('DELETE leaders');
          const now = this.leadersOf(identification);
          const left = now.secondary.filter((one) => !secondary.includes(one));
          this.#writeLeaders(
            identification,
            { main: main === now.main ? undefined : now.main, secondary: left },
            'unlead',
          );
        }),
    };
  }

  async #take(batch: string, rows: readonly Row[]): Promise<string> {
    const scheduler = this.#scheduler;
    const now = scheduler.now();
    if (this.#files.some(({ blockedUntil }) => blockedUntil > now)) {
      // The contract lists no status for it.
      const answer = scheduler.chance(0.5)
        ? ({ code: 'PLATFORM_BUSY', retry: { afterMs: 5000 }, status: 409 } as const)
        : ({ code: 'PLATFORM_REFUSED', retry: 'never', status: 400 } as const);
      throw new PlatformError('POST admin/userFiles: another file is processing', {
        ...answer,
        effect: 'none',
        operation: 'POST admin/userFiles',
      });
    }
    await this.onHandIn(batch, rows);
    const isBad = rows.some(({ identification }) => this.#isBadRow(identification));
    const end = scheduler.chance(this.faults.stuck)
      ? 'stuck'
      : isBad || scheduler.chance(this.faults.fails)
        ? 'failed'
        : 'done';
    const readyAt = now + 500 + Math.floor(scheduler.random() * this.faults.workMs);
    const blockedUntil = end === 'stuck' ? now + 45_000 : readyAt;
    const oddStatus = scheduler.chance(this.faults.oddStatus);
    this.#number += 1;
    const id = `file-${this.#number}`;
    this.#files.push({ id, batch, rows, handedInAt: now, readyAt, end, blockedUntil, oddStatus, isWorked: false });
    return id;
  }

  /** The same people are trouble in every file while the fault lasts. */
  #isBadRow(identification: string): boolean {
    return this.faults.badRow > 0 && identification.charCodeAt(identification.length - 1) % 5 === 0;
  }

  #status(id: string): FileStatus {
    const file = this.#files.find((one) => one.id === id);
    if (file === undefined) throw refused('GET admin/userFiles/{id}');
    if (!file.isWorked || file.end === 'stuck') {
      return { kind: 'pending', text: file.oddStatus ? 'Simmering' : 'Processing', isKnown: !file.oddStatus };
    }
    return file.end === 'done' ? { kind: 'done', text: 'Processed' } : { kind: 'failed', text: 'Error' };
  }

  /** Works on every file whose time has come, and shows what has been hidden long enough. */
  #work(): void {
    const now = this.#scheduler.now();
    for (const file of this.#files) {
      if (file.isWorked || file.readyAt > now) continue;
      file.isWorked = true;
      // Of a failed file the rows before the bad one may have landed, of a stuck one all or nothing.
      const isHalf = this.#scheduler.chance(0.5);
      const bad = file.rows.findIndex(({ identification }) => this.#isBadRow(identification));
      const landed = file.end === 'done' ? file.rows.length : isHalf ? 0 : bad === -1 ? file.rows.length : bad;
      const origin = {
        batch: file.batch,
        handedInAt: file.handedInAt,
        at: file.readyAt,
        isAtOnce: file.end !== 'done',
      };
      for (const row of file.rows.slice(0, landed)) this.#apply(row, origin);
    }
    for (const account of this.#accounts.values()) if (account.shownAt <= now) account.shown = account.current;
  }

  #apply({ command, identification, fields }: Row, origin: Origin): void {
    const now = this.#accounts.get(identification)?.current;
    if (command === 'D') {
      if (now !== undefined) this.#write(identification, { ...now, enabled: false }, 'D', origin);
      return;
    }
    if (now === undefined && command === 'U') return;
    this.#write(identification, { enabled: true, fields: { ...now?.fields, ...fields } }, command, origin);
  }

  #write(
    identification: string,
    state: Pick<AccountState, 'enabled' | 'fields'> | undefined,
    command: Effect['command'],
    { batch, handedInAt, at = this.#scheduler.now(), isAtOnce = false }: Origin,
  ): void {
    const known = this.#accounts.get(identification);
    const before = known?.current;
    this.#number += 1;
    const account = known ?? { id: String(this.#number), current: undefined, shown: undefined, shownAt: at };
    const lastUpdate = new Date(at).toISOString().slice(0, 19);
    const filled = state && Object.fromEntries(Object.entries(state.fields).filter(([, value]) => value !== ''));
    if (state === undefined) this.#forgetLeader(identification);
    account.current = state && { enabled: state.enabled, fields: filled ?? {}, lastUpdate };
    account.shownAt =
      command === 'outside' || isAtOnce ? at : at + Math.floor(this.#scheduler.random() * this.faults.unseenMs);
    this.#accounts.set(identification, account);
    const n = this.effects.length;
    this.effects.push({ n, identification, command, batch, handedInAt, at, before, after: account.current });
    if (account.shownAt <= this.#scheduler.now()) account.shown = account.current;
  }

  /** The platform drops the relations of a removed user. */
  #forgetLeader(gone: string): void {
    this.#leaders.delete(gone);
    for (const [identification, { current }] of this.#leaders) {
      if (current.main !== gone && !current.secondary.includes(gone)) continue;
      const main = current.main === gone ? undefined : current.main;
      this.#writeLeaders(
        identification,
        { main, secondary: current.secondary.filter((one) => one !== gone) },
        'outside',
      );
    }
  }

  #findLeaders(identification: string): LeadersLookup {
    if (this.#accounts.get(identification)?.shown === undefined) return { found: 'unclear', reason: 'no such user' };
    if (this.#scheduler.chance(this.faults.unclear)) return { found: 'unclear', reason: 'a leader is listed twice' };
    const links = this.#leaders.get(identification);
    const isShown = links === undefined || links.shownAt <= this.#scheduler.now();
    return { found: 'complete', leaders: (isShown ? links?.current : links.shown) ?? noLeaders };
  }

  #writeLeaders(identification: string, after: Leaders, command: LeaderEffect['command']): void {
    const at = this.#scheduler.now();
    const links = this.#leaders.get(identification);
    const before = links?.current ?? noLeaders;
    const shown = links !== undefined && links.shownAt > at ? links.shown : before;
    const shownAt = command === 'outside' ? at : at + Math.floor(this.#scheduler.random() * this.faults.unseenMs);
    this.#leaders.set(identification, { current: after, shown, shownAt });
    this.leaderEffects.push({ identification, command, at, before, after });
  }

  #find(identification: string): Lookup {
    if (this.#scheduler.chance(this.faults.unclear)) return { found: 'unclear', reason: 'read and search disagree' };
    const account = this.#accounts.get(identification);
    return account?.shown === undefined
      ? { found: false }
      : { found: true, user: toUser(identification, account, account.shown) };
  }

  async *#scan(life: Life, authorize: (signal: AbortSignal) => Promise<void>, signal: AbortSignal) {
    await authorize(signal);
    await this.#scheduler.pass(life);
    signal.throwIfAborted();
    this.#work();
    if (this.#scheduler.chance(this.faults.refused)) throw failed('GET users', 'none');
    const users: User[] = [];
    for (const [identification, account] of this.#accounts) {
      if (account.shown !== undefined) users.push(toUser(identification, account, account.shown));
    }
    const isTorn = this.#scheduler.chance(this.faults.scan);
    for (let from = 0; from < users.length; from += 4) {
      yield { users: users.slice(from, from + 4), unread: [], total: users.length };
      await this.#scheduler.pass(life);
      if (isTorn) throw new PlatformError('the scan is not complete', scanTorn);
    }
  }
}

const scanTorn = { code: 'SCAN_INCOMPLETE', retry: 'backoff', effect: 'none', operation: 'GET users' } as const;

function failed(operation: string, effect: 'none' | 'unknown'): PlatformError {
  const code = effect === 'none' ? 'PLATFORM_FAILED' : 'PLATFORM_UNREACHABLE';
  return new PlatformError(`${operation}: simulated trouble`, { code, retry: 'backoff', effect, operation });
}

function refused(operation: string): PlatformError {
  return new PlatformError(`${operation}: refused`, {
    code: 'PLATFORM_REFUSED',
    effect: 'none',
    status: 400,
    operation,
  });
}

function toUser(identification: string, { id }: Account, { enabled, fields, lastUpdate }: AccountState): User {
  const shown = Object.entries(fields).filter(([name]) => fieldTraits(name as FieldName).isReadable);
  return { id, identification, enabled, fields: Object.fromEntries(shown), unreadable: [], lastUpdate };
}

/** The rows of a file as the platform reads them: by the names in its header (contract, POST admin/userFiles). */
export function rowsOf(header: readonly string[], cells: readonly (readonly string[])[]): Row[] {
  const known = new Set<string>(fieldTable.map(({ name }) => name));
  return cells.map((row): Row => {
    const named = header.map((name, i) => [name, row[i] ?? ''] as const);
    const fields = Object.fromEntries(named.filter(([name]) => known.has(name))) as FieldValues;
    const identification = named.find(([name]) => name === 'identification')?.[1] ?? '';
    return { command: (row[0] ?? '') as Row['command'], identification, fields };
  });
}
