import { describe, expect, it } from 'vitest';
import type { Leaders } from '../../src/core/person/fields.ts';
import { leaderValues } from '../../src/core/person/leaders.ts';
import type { ChangeDraft } from '../../src/core/plan/change.ts';
import { refusalReason } from '../../src/core/plan/refused-create.ts';
import { openDirect, openLeaders } from '../../src/delivery/direct.ts';
import { closeAndFailOnLeaks } from '../platform/closing.ts';
import { sendJson, startLocalServer } from '../platform/local-server.ts';
import { neverAborted, openTestClient } from '../platform/test-client.ts';
import { batchOf, change, create, ioOver, platformError, refusals, troubles } from './batches.ts';
import { type Act, scriptedPlatform } from './scripted-platform.ts';

closeAndFailOnLeaks();

const before = {
  userId: '7',
  enabled: true,
  fields: { firstName: 'Ana', lastName: 'Díaz', area: 'Sales', office: 'Lima' },
};
const user = { id: '7', uid: 'u-7', identification: 'E1', enabled: true, fields: before.fields, unreadable: [] };
const remove: Partial<ChangeDraft> = { kind: 'remove', after: {}, changed: [] };

/** Fails the write of this number, counted from 1; every other one succeeds. */
function failAt(number: number, error: unknown): Act {
  let writes = 0;
  return () => {
    writes += 1;
    if (writes === number) throw error;
  };
}

async function openScripted(act?: Act, blacklist = false) {
  const scripted = scriptedPlatform(act, { found: true, user });
  return { delivery: openDirect(await ioOver(scripted.platform, { blacklist })), calls: scripted.calls };
}

describe('each change', () => {
  it('is one call with every field of the write, in the order of the batch', async () => {
    const { delivery, calls } = await openScripted();
    const update = change('E1', { before, after: { lastName: 'Núñez' } });
    const batch = batchOf([update, change('E2', remove), create('E3')]);

    expect(await delivery.submit(batch, neverAborted)).toEqual({ kind: 'direct' });

    expect(calls).toEqual([
      ['find', 'E1'],
      ['update', user, { identification: 'E1', fields: { firstName: 'Ana', lastName: 'Núñez', area: 'Sales' } }],
      ['remove', 'E2', { blacklist: false }],
      ['create', { identification: 'E3', fields: { email: 'ana@example.com', firstName: 'Ana', lastName: 'Núñez' } }],
    ]);
    expect(batch.told).toEqual(['E1', 'E2', 'E3'].flatMap((name) => [`${name} sending`, `${name} accepted`]));
  });

  it('addresses its user as the platform shows the identification', async () => {
    const { delivery, calls } = await openScripted();
    const shown = { ...before, rawIdentification: ' E1 ' };
    await delivery.submit(
      batchOf([change('E1', { before: shown }), change('E2', { ...remove, before: shown })]),
      neverAborted,
    );

    expect(calls.map(([operation, name]) => [operation, name])).toEqual([
      ['find', ' E1 '],
      ['update', user],
      ['remove', ' E1 '],
    ]);
  });

  it('is on record as sending before its call and as accepted before the next one', async () => {
    const order: string[] = [];
    const { delivery } = await openScripted(([operation]) => void order.push(operation));

    await delivery.submit(
      batchOf([create('E1'), change('E2', remove)], (told) => void order.push(told)),
      neverAborted,
    );

    expect(order).toEqual(['E1 sending', 'create', 'E1 accepted', 'E2 sending', 'remove', 'E2 accepted']);
  });

  it('is removed with the blacklist where the sync says so', async () => {
    const { delivery, calls } = await openScripted(undefined, true);
    await delivery.submit(batchOf([change('E1', remove)]), neverAborted);
    expect(calls).toEqual([['remove', 'E1', { blacklist: true }]]);
  });

  it.each([
    ['has no such user', { found: false }, 'the platform no longer has this user'],
    ['is not clear about the user', { found: 'unclear', reason: 'two users claim E1' }, 'two users claim E1'],
  ] as const)('is refused as an update when the platform %s, and the next one goes on', async (_, lookup, reason) => {
    const { platform, calls } = scriptedPlatform(undefined, lookup);
    const batch = batchOf([change('E1'), create('E2')]);

    expect(await openDirect(await ioOver(platform)).submit(batch, neverAborted)).toEqual({ kind: 'direct' });

    expect(calls.map(([operation]) => operation)).toEqual(['find', 'create']);
    expect(batch.told).toEqual(['E1 sending', `E1 refused: ${reason}`, 'E2 sending', 'E2 accepted']);
  });

  it.each(['enable', 'disable'] as const)('is refused without a call when it is an %s', async (kind) => {
    const { delivery, calls } = await openScripted();
    const batch = batchOf([change('E1', { kind })]);

    expect(await delivery.submit(batch, neverAborted)).toEqual({ kind: 'direct' });

    expect(calls).toEqual([]);
    expect(batch.told).toEqual(['E1 sending', `E1 refused: a ${kind} cannot be made by direct call`]);
  });
});

describe('an error of one call', () => {
  const three = () => batchOf([create('E1'), create('E2'), create('E3')]);
  const own = refusals.filter(({ is }) => is.kind !== 'wait');
  const waits = refusals.filter(({ is }) => is.kind === 'wait');

  it.each(own)(
    'that is about this change becomes its result, and the next one goes on: $name',
    async ({ error, is }) => {
      const { delivery, calls } = await openScripted(failAt(2, platformError(error)));
      const batch = three();

      expect(await delivery.submit(batch, neverAborted)).toEqual({ kind: 'direct' });

      expect(calls).toHaveLength(3);
      const why = is.kind === 'refused' ? refusalReason('create', 'the platform says no') : 'the platform says no';
      expect(batch.told.filter((line) => line.startsWith('E2'))).toEqual(['E2 sending', `E2 ${is.kind}: ${why}`]);
      expect(batch.told.at(-1)).toBe('E3 accepted');
    },
  );

  it.each(waits)('asks to wait when nothing was tried yet: $name', async ({ error, is }) => {
    const { delivery, calls } = await openScripted(failAt(1, platformError(error)));
    const batch = three();

    expect(await delivery.submit(batch, neverAborted)).toEqual({ ...is, reason: 'the platform says no' });

    expect(calls).toHaveLength(1);
    expect(batch.told).toEqual(['E1 sending', 'E1 not-tried']);
  });

  it.each(troubles)('of the whole connection is thrown when nothing was tried yet: $name', async ({ error }) => {
    const { delivery, calls } = await openScripted(failAt(1, error));
    const batch = three();

    await expect(delivery.submit(batch, neverAborted)).rejects.toBe(error);

    expect(calls).toHaveLength(1);
    expect(batch.told).toEqual(['E1 sending', 'E1 not-tried']);
  });

  it.each([...troubles, { name: 'busy', error: platformError({ code: 'PLATFORM_BUSY' }) }])(
    'of the whole connection ends the batch where it is once a change went out: $name',
    async ({ error }) => {
      const { delivery, calls } = await openScripted(failAt(2, error));
      const batch = three();

      expect(await delivery.submit(batch, neverAborted)).toEqual({ kind: 'direct' });

      expect(calls).toHaveLength(2);
      expect(batch.told).toEqual(['E1 sending', 'E1 accepted', 'E2 sending', 'E2 not-tried']);
    },
  );
});

describe('writes that are forbidden', () => {
  const error = platformError({ code: 'PLATFORM_FORBIDDEN' });
  const answers: Readonly<Record<string, unknown>> = {
    forbidden: error,
    explained: platformError({ code: 'PLATFORM_FORBIDDEN', raw: 'x' }),
    refused: platformError({}),
    lost: platformError({ code: 'PLATFORM_FORBIDDEN', effect: 'unknown' }),
  };
  const why = `${refusalReason('create', 'the platform says no')} 3 files or changes in a row were refused, and no write was accepted in between, so the run stopped sending`;

  it.each([
    ['in a row, also over batches', 1, 'forbidden', { refusedInRow: { count: 2 } }],
    ['up to the third', 0, 'forbidden forbidden forbidden', { trouble: { reason: why } }],
    ['up to the third, whose answer is kept', 2, 'explained', { trouble: { reason: why, raw: 'x' } }],
    ['from the last accepted one on', 2, 'accepted forbidden accepted forbidden', { refusedInRow: { count: 1 } }],
    ['without others and lost answers', 1, 'refused lost forbidden', { refusedInRow: { count: 2, isMixed: true } }],
  ])('are counted %s', async (_, count, said, end) => {
    const ends = said.split(' ');
    const { delivery, calls } = await openScripted(() => {
      const answer = answers[ends[calls.length - 1] ?? ''];
      if (answer !== undefined) throw answer;
    });
    const changes = ends.map((_, i) => create(`E${i}`));
    const rest = 'trouble' in end ? [create('E8')] : [];
    const before = count === 0 ? {} : { refusedInRow: { count } };
    const submitted = await delivery.submit({ ...batchOf([...changes, ...rest]), ...before }, neverAborted);
    expect(submitted).toStrictEqual({ kind: 'direct', refusedInRow: { count: 3 }, ...end });
    expect(calls).toHaveLength(ends.length);
  });

  it('are no question when the user cannot be read either: the connection is in trouble', async () => {
    const { platform, calls } = scriptedPlatform();
    const find = () => Promise.reject(error);
    const batch = batchOf([change('E1', { before })]);
    const delivery = openDirect(await ioOver({ ...platform, find }));
    await expect(delivery.submit(batch, neverAborted)).rejects.toBe(error);
    expect(batch.told).toEqual(['E1 sending', 'E1 not-tried']);
    expect(calls).toEqual([]);
  });
});

describe('the batch ends at once', () => {
  it('when the run stops between two calls: the next change is not even on record as sending', async () => {
    const stop = new AbortController();
    const { delivery, calls } = await openScripted();
    const batch = batchOf([create('E1'), create('E2')], (told) => {
      if (told === 'E1 accepted') stop.abort(new Error('the run was stopped'));
    });

    await expect(delivery.submit(batch, stop.signal)).rejects.toThrow('the run was stopped');

    expect(calls).toHaveLength(1);
    expect(batch.told).toEqual(['E1 sending', 'E1 accepted']);
  });

  it.each([
    { fails: 'E2 sending', calls: 1 },
    { fails: 'E2 accepted', calls: 2 },
  ])('when the store cannot write "$fails"', async ({ fails, calls: count }) => {
    const { delivery, calls } = await openScripted();
    const batch = batchOf([create('E1'), create('E2'), create('E3')], (told) => {
      if (told === fails) throw new Error('the store is gone');
    });

    await expect(delivery.submit(batch, neverAborted)).rejects.toThrow('the store is gone');

    expect(calls).toHaveLength(count);
    expect(batch.told).not.toContain('E2 not-tried');
  });
});

it('a change of leaders takes away first, then adds, and names the main leader only where it changes', async () => {
  const { platform, calls } = scriptedPlatform();
  const delivery = openLeaders(await ioOver(platform));
  const lead = (identification: string, from: Leaders, to: Leaders) => {
    const fields = leaderValues(from);
    return change(identification, { kind: 'lead', before: { ...before, fields }, after: leaderValues(to) });
  };
  const batch = batchOf([
    lead('E1', { main: 'M1', secondary: ['S1'] }, { main: 'M2', secondary: [] }),
    lead('E2', { main: 'M1', secondary: [] }, { main: 'M1', secondary: ['S2'] }),
    lead('E3', { main: 'M1', secondary: ['S1', 'S2'] }, { main: 'M1', secondary: ['S2'] }),
  ]);

  expect(await delivery.submit(batch, neverAborted)).toEqual({ kind: 'direct' });

  expect(calls).toEqual([
    ['unlead', 'E1', { main: 'M1', secondary: ['S1'] }],
    ['lead', 'E1', { main: 'M2', secondary: [] }],
    ['lead', 'E2', { secondary: ['S2'] }],
    ['unlead', 'E3', { secondary: ['S1'] }],
  ]);
  expect(batch.told.at(-1)).toBe('E3 accepted');
});

it('over HTTP, a 422 is refused, a dropped connection is unknown, and no write is repeated', async () => {
  const server = await startLocalServer((_, response, index) => {
    if (index === 0) return sendJson(response, 422, { title: 'Unprocessable', detail: 'the e-mail is taken' });
    if (index === 1) return void response.destroy();
    sendJson(response, 201, { userId: 'u-3' });
  });
  const batch = batchOf([create('E1'), create('E2'), create('E3')]);

  const delivery = openDirect(await ioOver(openTestClient(server.url).platform));
  expect(await delivery.submit(batch, neverAborted)).toEqual({ kind: 'direct' });

  expect(server.seen.map(({ body }) => (JSON.parse(body) as { identification: string }).identification)).toEqual([
    'E1',
    'E2',
    'E3',
  ]);
  expect(batch.told).toEqual([
    'E1 sending',
    expect.stringMatching(/^E1 refused: /),
    'E2 sending',
    expect.stringMatching(/^E2 unknown: /),
    'E3 sending',
    'E3 accepted',
  ]);
});
