import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../src/core/run/errors.ts';
import { parseFault, type RunningSandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';
import { closeAndFailOnLeaks, closeLater } from './closing.ts';
import { fixedTokens, neverAborted, openTestClient, type SkippingClock, skippingClock } from './test-client.ts';

closeAndFailOnLeaks();

const identifications = ['Aña/1', 'B', 'C', 'D', ...Array.from({ length: 230 }, (_, i) => `L${1000 + i}`)];
const people = identifications.map((identification) => ({
  identification,
  enabled: true,
  fields: { firstName: 'Ana', lastName: identification },
}));

async function open(quirks: SandboxOptions['quirks'] = {}, clock: SkippingClock = skippingClock()) {
  const sandbox = await startSandbox({ people, quirks, now: () => clock.now() });
  closeLater(() => sandbox.close());
  const renewals: number[] = [];
  const { platform } = openTestClient(sandbox.url, { clock, tokens: fixedTokens(sandbox.accessToken, renewals) });
  const fault = (...texts: string[]) => sandbox.setFaults(texts.map(parseFault));
  const list = (identification = 'Aña/1') => platform.leaders(identification, neverAborted);
  return { platform, sandbox, clock, fault, list, renewals };
}

const complete = (main: string | undefined, ...secondary: string[]) => ({
  found: 'complete',
  leaders: { main, secondary },
});

function requestsOf({ state }: RunningSandbox): number[] {
  return [state.requests.leaders, state.requests['add-leaders'], state.requests['remove-leaders']];
}

describe('the leaders of a user', () => {
  it('are added, listed over several pages, and removed one kind at a time', async () => {
    const { platform, sandbox, list } = await open();
    const many = identifications.slice(4, 234);

    expect(await list()).toEqual(complete(undefined));
    await platform.lead('Aña/1', { main: 'B', secondary: many }, neverAborted);
    expect(await list()).toEqual(complete('B', ...many));
    expect(requestsOf(sandbox)).toEqual([4, 1, 0]);

    await platform.unlead('Aña/1', { secondary: many.slice(1) }, neverAborted);
    await platform.lead('Aña/1', { secondary: ['B', 'C'] }, neverAborted);
    expect(await list()).toEqual(complete('B', 'B', 'C', 'L1000'));
    await platform.unlead('Aña/1', { main: 'B' }, neverAborted);
    expect(await list()).toEqual(complete(undefined, 'B', 'C', 'L1000'));
  });

  it('keep a main leader until that one is removed, where the platform refuses a second one', async () => {
    const { platform, list } = await open();
    await platform.lead('B', { main: 'C' }, neverAborted);
    await platform.lead('B', { main: 'C' }, neverAborted);

    await expect(platform.lead('B', { main: 'D' }, neverAborted)).rejects.toMatchObject({
      code: 'PLATFORM_REFUSED',
      effect: 'none',
      status: 400,
    });
    expect(await list('B')).toEqual(complete('C'));
    await platform.unlead('B', { main: 'D' }, neverAborted);
    expect(await list('B')).toEqual(complete('C'));
  });

  it('get the new main leader at once, where the platform replaces it', async () => {
    const { platform, list } = await open({ mainLeader: 'replaces' });
    await platform.lead('B', { main: 'C' }, neverAborted);
    await platform.lead('B', { main: 'D' }, neverAborted);

    expect(await list('B')).toEqual(complete('D'));
  });

  it('are refused for someone whom the platform does not know, and never sent without a name', async () => {
    const { platform, sandbox } = await open();

    for (const send of [platform.lead, platform.unlead]) {
      await expect(send('B', { main: 'nobody' }, neverAborted)).rejects.toMatchObject({ status: 404, effect: 'none' });
      await expect(send('nobody', { main: 'B' }, neverAborted)).rejects.toMatchObject({ status: 404 });
      await expect(send('B', { secondary: [] }, neverAborted)).rejects.toMatchObject({ code: 'PLATFORM_REFUSED' });
      await expect(send('B', { secondary: ['..'] }, neverAborted)).rejects.toMatchObject({
        code: 'IDENTIFICATION_INVALID',
      });
    }
    expect(requestsOf(sandbox)).toEqual([0, 2, 2]);
  });

  it('are unknown after a write whose answer is lost', async () => {
    const { platform, fault, list } = await open();
    fault('add-leaders:reset-after-commit');
    const error: unknown = await platform.lead('B', { main: 'C' }, neverAborted).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(PlatformError);
    expect(error).toMatchObject({ effect: 'unknown' });
    expect(await list('B')).toEqual(complete('C'));
  });

  it('show as before while the platform shows writes late, and drop with a deleted user', async () => {
    const { platform, fault, list, clock } = await open();
    await platform.lead('B', { main: 'C' }, neverAborted);
    fault('late=60000');
    await platform.unlead('B', { main: 'C' }, neverAborted);
    await clock.sleep(1000, neverAborted);
    await platform.lead('B', { main: 'D' }, neverAborted);

    expect(await list('B')).toEqual(complete('C'));
    await clock.sleep(59_500, neverAborted);
    expect(await list('B')).toEqual(complete(undefined));
    await clock.sleep(1000, neverAborted);
    expect(await list('B')).toEqual(complete('D'));
    fault();
    await platform.remove('D', { blacklist: false }, neverAborted);
    expect(await list('B')).toEqual(complete(undefined));
  });
});

it.each([1, 2])('two records of one leader, with one role each, are one leader with both: total %i', async (total) => {
  const { fault, list } = await open();
  const record = (asMain: boolean) => ({ identification: 'C', asMain, asSecondary: !asMain });
  fault(`leaders:merge=${JSON.stringify({ result: [record(true), record(false)], page: { totalElements: total } })}`);
  expect(await list()).toEqual(complete('C', 'C'));
});

describe('a list of leaders that proves nothing', () => {
  it.each([
    ['a page is missing', 'leaders:missing-page@2', '100 leaders are listed, but the total says 230'],
    ['a row repeats', 'leaders:duplicate-row@1', 'a leader is listed twice'],
    ['a row is null', 'leaders:null-row', 'the list of leaders cannot be read'],
    ['the total is missing', 'leaders:merge={"page":{}}', 'the list of leaders cannot be read'],
    ['the total moves', 'leaders:merge={"page":{"totalElements":231}}@2', 'the number of leaders changed'],
    ['it is cut', 'leaders:truncate-json', 'the list of leaders cannot be read'],
    ['it does not exist', 'leaders:absent', 'does not know this user'],
    ['it fails', 'leaders:status=500', 'refused the list of leaders (500)'],
    ['it is forbidden', 'leaders:status=403', 'refused the list of leaders (403)'],
    [
      'two are main',
      'leaders:merge={"result":[{"identification":"C","asMain":true},{"identification":"D","asMain":true}],"page":{"totalElements":2}}',
      '2 main leaders',
    ],
    [
      'one is neither',
      'leaders:merge={"result":[{"identification":"C"}],"page":{"totalElements":1}}',
      'neither as main',
    ],
  ])('is unclear: %s', async (_, text, reason) => {
    const { platform, fault, list } = await open();
    await platform.lead('Aña/1', { secondary: identifications.slice(4) }, neverAborted);
    fault(text);

    expect(await list()).toEqual({ found: 'unclear', reason: expect.stringContaining(reason) });
  });

  it('is no proof against the token: a 401 is tried once more after a call that tests it, and renews nothing', async () => {
    const { fault, list, renewals, sandbox } = await open();
    fault('leaders:status=401');
    expect(await list()).toEqual({ found: 'unclear', reason: expect.stringContaining('(401)') });
    expect(sandbox.state.requests).toMatchObject({ leaders: 2, search: 1 });

    fault('leaders:status=401@1', 'search:status=401@1');
    expect(await list()).toEqual(complete(undefined));
    expect(renewals).toEqual([1]);
  });

  it('throws while the platform cannot be reached, or asks to wait', async () => {
    const { fault, list } = await open();
    fault('leaders:reset-before-commit');
    await expect(list()).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' });
    fault('leaders:status=503;retry-after=3600');
    await expect(list()).rejects.toMatchObject({ code: 'PLATFORM_BUSY' });
  });
});
