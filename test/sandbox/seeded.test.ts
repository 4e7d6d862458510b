import { describe, expect, it } from 'vitest';
import { connectPlatform } from '../../src/platform/index.ts';
import { startByCommand } from '../../src/sandbox/index.ts';
import { admin, growth, sandboxes } from './open-sandbox.ts';

const open = sandboxes();

/** What a person gets who types `rollcall sandbox`. */
async function openByCommand(users = 20, refreshTokens: readonly string[] = []) {
  let now = Date.UTC(2026, 4, 20, 12);
  const sandbox = await startByCommand({
    ...{
      host: '127.0.0.1',
      port: 0,
      users,
      seed: 7,
      tokenLifeMs: 1e12,
      processingMs: 1000,
      faults: [],
      quirks: [],
      refreshTokens,
    },
    now: () => now,
  });
  const { url: baseUrl, accessToken } = sandbox;
  const platform = connectPlatform({ baseUrl, accessToken, now: () => now, limits: { requestsPerSecond: 1000 } });
  return {
    sandbox,
    platform,
    advance: (ms: number) => {
      now += ms;
    },
    close: async () => {
      await platform.close();
      await sandbox.close();
    },
  };
}

describe('a sandbox of the command line', () => {
  it('accepts each of its first refresh tokens once, and revokes no other one with it', async () => {
    const { sandbox, close } = await openByCommand(1, ['first-token', 'second-token']);
    const refresh = async (token: string): Promise<number> => {
      const answer = await fetch(`${sandbox.url}/os-api/public-api/v1/token`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sandbox.applicationToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ grant_type: 'refresh_token', refresh_token: token }),
      });
      return answer.status;
    };
    try {
      const statuses = [];
      for (const token of ['first-token', 'first-token', 'second-token']) statuses.push(await refresh(token));
      expect(statuses).toEqual([200, 400, 200]);
    } finally {
      await close();
    }
  });

  it('has goals, feedback, evaluations and leaders among its users, the same every time', async () => {
    const read = async () => {
      const { platform, close } = await openByCommand();
      try {
        return {
          goals: await Array.fromAsync(platform.goals.list({})),
          feedback: await Array.fromAsync(platform.feedback.list({})),
          evaluations: await Array.fromAsync(platform.evaluations.list({})),
          leaders: await Array.fromAsync(platform.leaders.list('E000002')),
          second: await Array.fromAsync(platform.leaders.list('E000001')),
          users: await Array.fromAsync(platform.users.list({ enabled: false })),
          requested: await platform.goals.get({ code: 'GOAL-1', identification: 'E000001' }),
        };
      } finally {
        await close();
      }
    };
    const first = await read();

    expect(first.goals.length).toBeGreaterThan(15);
    expect(first.feedback.length).toBeGreaterThan(15);
    expect(first.evaluations).toHaveLength(20);
    expect(first.leaders).toMatchObject([
      { identification: 'E000001', asMain: true },
      { identification: 'E000007', asSecondary: true },
    ]);
    expect(first.second).toMatchObject([{ identification: 'E000007', asMain: true }]);
    const known = new Set(first.users.map(({ identification }) => identification));
    for (const { sender, recipient, comment } of first.feedback) {
      expect([known.has(sender?.identification ?? ''), known.has(recipient?.identification ?? '')]).toEqual([
        true,
        true,
      ]);
      expect(comment).toMatch(/\w+ \w+/);
    }
    for (const { assignedTo } of first.goals) expect(known).toContain(assignedTo);
    expect(await read()).toEqual(first);
  });

  it.each([0, 1, 2])('starts with %i users', async (users) => {
    const { platform, close } = await openByCommand(users);

    expect(await Array.fromAsync(platform.feedback.list({}))).toHaveLength(users === 2 ? 2 : 0);
    await close();
  });

  it('has a source for the import job, and shows what the job did', async () => {
    const { platform, sandbox, advance, close } = await openByCommand();

    await platform.importJob.start();
    advance(2000);

    expect(await platform.users.get('IMPORT-1')).toMatchObject({ firstName: 'Irene', enabled: true });
    expect(sandbox.state.users.get('E000001')?.fields.job).toBe('Team lead');
    expect(await platform.userFiles.status('1')).toEqual({ kind: 'done', text: 'Processed' });
    const files = await (await fetch(`${sandbox.url}/_sandbox/files`)).json();
    expect(files).toMatchObject([{ id: 1, name: 'import-users-job.csv', source: 'import-job', status: 'Processed' }]);
    await close();
  });

  it('links everything from its first page', async () => {
    const { sandbox, close } = await openByCommand();
    const page = await (await fetch(sandbox.url)).text();
    const links = [...page.matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path);

    expect(links).toEqual(expect.arrayContaining(['/docs', '/openapi.json', '/_sandbox/files']));
    expect(page).toContain('The import job has a source');
    for (const link of links) expect((await fetch(`${sandbox.url}${link}`)).status, link).toBe(200);
    await close();
  });
});

const refused = [
  'users?page=1abc',
  'users?page=1.5',
  'users?page=0x1',
  'users?page=1e3',
  'users?page=-1',
  'users?size=0',
  'users?size=%201',
  'users?page=99999999999999999999',
  'users?enabled=yes',
  'users?orderBy=colour',
  'users?orderBy=lastName',
  'users?direction=up',
  'users?direction=asc',
  'admin/userFiles/1abc',
].map((path) => `${admin}/${path}`);
const refusedGrowth = [
  'feedbacks?page=1abc',
  'feedbacks?creationTimeFrom=today',
  'feedbacks?sort=colour',
  'feedbacks/1abc',
  'feedbacks/0x1',
  'goals?pageSize=ten',
  'goals?type=TEAMS',
  'goals?assignment=ALONE',
  'goals?startDateFrom=2026-02-30',
  'evaluations?pageNumber=1abc',
  'evaluations?status=LOST',
  'evaluations?sort=colour(asc)',
  'evaluations?sort=title(up)',
  'evaluations?updateTimeTo=1e12',
  'evaluations/5001x',
  'users/E000001/leaders?pageNumber=0',
  'users/E000001/leaders?pageNumber=1abc',
].map((path) => `${growth}/${path}`);

it('parameters are read strictly: anything but the contract is 400', async () => {
  const sandbox = await open({ users: 3, hasGrowth: true });
  for (const path of [...refused, ...refusedGrowth]) {
    const { status, body } = await sandbox.call('GET', path);
    expect([path, status, typeof body.detail]).toEqual([path, 400, 'string']);
  }
  expect((await sandbox.call('DELETE', `${admin}/users/E000001/?blacklist=1`)).status).toBe(400);
  expect(sandbox.state.users.size).toBe(3);
});
