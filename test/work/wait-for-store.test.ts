import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { RollcallError } from '../../src/core/run/errors.ts';
import { passingFault } from '../../src/store/index.ts';
import { openWhenWritable } from '../../src/work/liveness.ts';
import { FakeClock, someInstant } from '../support/fake-clock.ts';
import { memoryLogger } from '../support/memory-logger.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const second = 1000;
const coded = (code: string) => Object.assign(new Error(code), { code });

/** A start whose store answers in this order, one answer each time that it is opened. */
function startOver(answers: readonly (Error | string | undefined)[]) {
  const clock = new FakeClock();
  const log = memoryLogger();
  const stopping = new AbortController();
  const seen = { opened: 0, closed: 0, waited: 0, served: [] as (string | undefined)[], isServing: false };
  const started = openWhenWritable({
    async open() {
      const answer = answers[Math.min(seen.opened++, answers.length - 1)];
      if (answer instanceof Error) throw answer;
      const close = async () => {
        seen.closed += 1;
      };
      return { io: { store: { fault: async () => answer }, clock }, close };
    },
    passingFault,
    async serve(fault) {
      seen.isServing = true;
      seen.served.push(fault());
      return async () => {
        seen.isServing = false;
      };
    },
    onWaited: () => {
      seen.waited += 1;
    },
    ...{ clock, logger: log, signal: stopping.signal },
  });
  const ended = started.then(
    () => 'started',
    (error: unknown) => (error instanceof Error ? error.message : 'failed'),
  );
  return { clock, log, stopping, seen, ended };
}

it('a start waits for a store that takes no write, says why once a minute, and begins when it does', async () => {
  const { clock, log, seen, ended } = startOver([...Array<string>(14).fill('it is read-only'), undefined]);
  await clock.advance(4 * second);
  expect(seen).toMatchObject({ opened: 1, closed: 1, isServing: true, served: ['it is read-only'] });
  await clock.advance(60 * second);
  expect(log.messages('warn')).toEqual(Array(2).fill(expect.stringContaining('because it is read-only')));
  await clock.advance(6 * second);
  expect(await ended).toBe('started');
  expect(clock.now()).toBe(someInstant + 70 * second);
  // What was opened over the store that refuses is closed again; the one that is used is not.
  expect(seen).toMatchObject({ opened: 15, closed: 14, waited: 1, isServing: false });
  expect(log.messages('info')).toEqual(['the store is writable: this process starts']);
});

it.each([
  ['SQLITE_FULL', 'its disk is full'],
  ['SQLITE_READONLY', 'read-only'],
  ['ENOSPC', 'full'],
  ['EROFS', 'read-only'],
])('a store that cannot even be opened by %s is waited for too', async (code, why) => {
  const error = new RollcallError('the store cannot be opened', { code: 'STORE_INVALID', cause: coded(code) });
  const { clock, log, ended } = startOver([error, error, undefined]);
  await clock.advance(10 * second);
  expect(await ended).toBe('started');
  expect(log.messages('warn')).toEqual([expect.stringContaining(why)]);
});

it('a damaged store, and a start that is stopped meanwhile, end the wait at once', async () => {
  const damaged = new RollcallError('the store is damaged', { code: 'STORE_INVALID', cause: coded('SQLITE_CORRUPT') });
  expect(await startOver([damaged]).ended).toBe('the store is damaged');
  const { clock, stopping, seen, ended } = startOver(['its disk is full']);
  await clock.advance(second);
  stopping.abort(new Error('stopped'));
  expect(await ended).toBe('stopped');
  expect(seen.isServing).toBe(false);
});

it('the error of a real file that is read-only can pass, and that of another kind of file cannot', async () => {
  const path = join(await temporaryFolder(), 'store.db');
  new Sqlite(path).exec('create table t (x)').close();
  await chmod(path, 0o444);
  const db = new Sqlite(path, { readonly: true });
  const failure = (work: () => void): unknown => {
    try {
      work();
      return undefined;
    } catch (error) {
      return error;
    }
  };
  expect(passingFault(failure(() => db.exec('insert into t values (1)')))).toContain('read-only');
  expect(passingFault(failure(() => db.exec('insert into nothing values (1)')))).toBe(undefined);
  db.close();
});
