import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { FoundUsers } from '../../src/run/read-back/lookups.ts';
import { openFileSpool } from '../../src/store/db/file-spool.ts';
import { account } from './plan-scene.ts';

const noSpool = (): never => {
  throw new Error('a few users need no scratch file');
};

it('only wanted users are kept', () => {
  const found = new FoundUsers(noSpool);
  found.want('ana');
  found.want('ana');
  for (const name of ['ana', 'eva', 'ANA']) found.see(account(name));
  expect(found.size).toBe(1);
  expect(found.claimants('ana')).toEqual([account('ana')]);
  expect([found.claimants('eva'), found.claimants('ANA')]).toEqual([[], []]);
  found.close();
});

it('users with one identification are all found, in order of the scan', () => {
  const found = new FoundUsers(noSpool);
  for (const name of ['eva', 'ana']) found.want(name);
  const three = ['1', '2', '3'].map((id) => account('ana', { id }));
  found.see(three[0] ?? account(''));
  found.see(account('eva'));
  for (const user of three.slice(1)) found.see(user);
  expect(found.claimants('ana')).toEqual(three);
  expect(found.claimants('eva')).toEqual([account('eva')]);
  expect(found.size).toBe(4);
});

it('more users may be wanted after some were seen', () => {
  const found = new FoundUsers(noSpool);
  found.want('ana');
  found.see(account('ana'));
  for (let i = 0; i < 1024; i += 1) found.want(`u${i}`);
  expect([found.claimants('ana'), found.claimants('u1023')]).toEqual([[account('ana')], []]);
});

it('users beyond 2000 go to one scratch file, which is closed in the end', () => {
  const spools = { opened: 0, closed: 0 };
  const found = new FoundUsers(() => {
    const spool = openFileSpool(tmpdir());
    spools.opened += 1;
    return {
      ...spool,
      close() {
        spools.closed += 1;
        spool.close();
      },
    };
  });
  const names = Array.from({ length: 2100 }, (_, i) => `u${i}`);
  for (const name of names) found.want(name);
  for (const name of names.slice(0, 2000)) found.see(account(name));
  expect(spools.opened).toBe(0);
  for (const name of names.slice(2000)) found.see(account(name));
  expect(names.map((name) => found.claimants(name))).toEqual(names.map((name) => [account(name)]));
  found.close();
  expect(spools).toEqual({ opened: 1, closed: 1 });
});
