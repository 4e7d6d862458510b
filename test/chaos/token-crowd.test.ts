import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type RunningSandbox, startSandbox } from '../../src/sandbox/index.ts';
import { drawFrom, isLong } from '../support/drawn.ts';
import { employees, usersOf } from '../support/office.ts';
import { programOf } from '../support/programs.ts';
import { startPostgres } from '../support/services.ts';
import { slowly } from '../support/slowness.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TokenOrder, TokenReport } from './use-token.ts';

const postgres = await startPostgres();
const program = programOf('test/chaos/use-token.ts');

const lifeMs = slowly(400);
/** The token manager renews at 70 to 80 % of a token's life; what begins before that is one refresh too many. */
const dueMs = 0.7 * lifeMs;
const killEveryMs = slowly(700);
const members = 8;
/** Nobody refreshes for this long only when a kill came into the middle of a refresh: then all wait for its lease. */
const stillMs = slowly(4000);

interface Member {
  readonly process: ChildProcess;
  /** What it printed. */
  readonly lines: readonly string[];
  readonly ended: Promise<unknown>;
}

interface Crowd {
  readonly sandbox: RunningSandbox;
  /** The dead, too. */
  readonly all: readonly Member[];
  join(): Member;
}

/** A platform that revokes everything once a used refresh token is presented, and processes that share its tokens. */
async function openCrowd(store: string): Promise<Crowd> {
  const folder = await temporaryFolder();
  const sandbox = await startSandbox({
    now: () => Date.now(),
    accessTokenLifeMs: lifeMs,
    people: usersOf(employees(1)),
    quirks: { strictReuse: true, expiresIn: 'ms' },
  });
  onTestFinished(() => sandbox.close());
  const { url: baseUrl, applicationToken, refreshToken } = sandbox;
  const order: TokenOrder = { store, folder, baseUrl, applicationToken, refreshToken, timeoutMs: slowly(2000) };
  const all: Member[] = [];
  return {
    sandbox,
    all,
    join: () => {
      const child = spawn(process.execPath, [program, JSON.stringify(order)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      const lines: string[] = [];
      createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
      const member = { process: child, lines, ended: once(child, 'close') };
      all.push(member);
      return member;
    },
  };
}

async function untilReady({ process, lines }: Member): Promise<void> {
  while (!lines.includes('ready')) {
    if (process.exitCode !== null) throw new Error('a process ended before its first accepted call');
    await wait(10);
  }
}

/** When each refresh began, by the clock of whoever made it. */
function beginnings({ all }: Crowd): readonly number[] {
  const told = all.flatMap(({ lines }) => lines.filter((line) => line.startsWith('began ')));
  return told.map((line) => Number(line.slice('began '.length))).toSorted((a, b) => a - b);
}

/** Kills one that works after the other, the oldest first, and puts a new one in its place. One is always left that works. */
async function killOnAndOn(crowd: Crowd, living: Member[], forMs: number): Promise<number> {
  const until = Date.now() + forMs;
  let kills = 0;
  while (Date.now() < until && Date.now() - (beginnings(crowd).at(-1) ?? 0) < stillMs) {
    await wait(killEveryMs);
    const [oldest, another] = living.filter(({ lines }) => lines.includes('ready'));
    if (oldest === undefined || another === undefined) continue;
    const [doomed] = living.splice(living.indexOf(oldest), 1);
    doomed?.process.kill('SIGKILL');
    await doomed?.ended;
    kills += 1;
    living.push(crowd.join());
  }
  return kills;
}

function reportOf({ lines }: Member): TokenReport | undefined {
  const last = lines.at(-1) ?? '';
  return last.startsWith('{') ? (JSON.parse(last) as TokenReport) : undefined;
}

async function expectOneRefreshPerExpiry(where: string, store: string, forMs: number): Promise<void> {
  const crowd = await openCrowd(store);
  const living: Member[] = [];
  while (living.length < members) {
    living.push(crowd.join());
    await Promise.all(living.map(untilReady));
  }
  const from = Date.now();
  const kills = await killOnAndOn(crowd, living, forMs);
  const tookMs = Date.now() - from;
  for (const { process } of living) process.kill('SIGTERM');
  await Promise.all(living.map(({ ended }) => ended));

  const began = beginnings(crowd);
  // The first one presents the configured token; each later one answers an expiry unless it came before its time.
  const lives = began.slice(1).map((at, i) => at - (began[i] ?? at));
  const perExpiry = lives.length / lives.filter((ms) => ms >= dueMs).length;
  const reports = living.map(reportOf);
  const accepted = reports.reduce((sum, report) => sum + (report?.accepted ?? 0), 0);
  const failed = reports.flatMap((report) => Object.keys(report?.failed ?? {}));
  const figures = `${kills} kills in ${tookMs} ms, ${lives.length} refreshes, ${perExpiry.toFixed(2)} per expiry`;
  process.stderr.write(
    `${where}: ${figures}; the last ${members} had ${accepted} calls accepted, ${failed.length} failed\n`,
  );

  // A used token that is presented revokes its family: not even one may be.
  const { refreshes } = crowd.sandbox.state;
  expect(refreshes.filter(({ outcome, times }) => outcome !== 'granted' || times > 1)).toEqual([]);
  expect(perExpiry).toBeLessThanOrEqual(1.1);
  expect(failed).toEqual([]);
  expect(accepted, 'those that were never killed have worked').toBeGreaterThan(0);
  expect(lives.length).toBeGreaterThan(members);
}

const forMs = isLong ? 60_000 : slowly(2500);
const databases = {
  PostgreSQL: async () => postgres?.newStore(),
  SQLite: async () => 'sqlite:./rollcall.db',
} as const;
const here = (['PostgreSQL', 'SQLite'] as const).filter((name) => name === 'SQLite' || postgres !== undefined);

describe('eight processes that share tokens of 400 ms, one of them killed every 0.7 s', () => {
  it.each(drawFrom(here, here.length))('refresh once per expiry and never lose the family, over %s', async (name) => {
    await expectOneRefreshPerExpiry(name, (await databases[name]()) ?? '', forMs);
  });
});
