import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { User } from '../../src/core/person/user.ts';
import { defaultDialect } from '../../src/core/run/settings.ts';
import { exchangeRefreshToken, revokeToken } from '../../src/platform/tokens/calls.ts';
import type { Platform } from '../../src/ports/platform.ts';
import type { AccessTokens } from '../../src/ports/tokens.ts';
import { parseFault, type RunningSandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { closeAndFailOnLeaks, closeLater } from './closing.ts';
import { neverAborted, openTestClient, skippingClock, type TestClient, type TestClientOptions } from './test-client.ts';

closeAndFailOnLeaks();

interface Sandboxed extends TestClient {
  readonly sandbox: RunningSandbox;
}

async function openSandboxed(
  sandboxOptions: Partial<SandboxOptions> = {},
  clientOptions: TestClientOptions = {},
  faults: readonly string[] = [],
): Promise<Sandboxed> {
  const clock = skippingClock();
  const sandbox = await startSandbox({ users: 60, ...sandboxOptions, now: () => clock.now() });
  closeLater(() => sandbox.close());
  sandbox.setFaults(faults.map((fault) => parseFault(fault)));
  const parts = openTestClient(sandbox.url, {
    applicationToken: sandbox.applicationToken,
    tokens: fixedToken(sandbox.accessToken),
    clock,
    ...clientOptions,
  });
  return { ...parts, clock, sandbox };
}

function fixedToken(secret: string): AccessTokens {
  return {
    current: async () => ({ secret, generation: 1 }),
    renew: async (refused) => ({ secret, generation: refused + 1 }),
    accepted: () => {},
  };
}

async function scanAll(platform: Platform): Promise<User[]> {
  const users: User[] = [];
  for await (const page of platform.scan(neverAborted)) users.push(...page.users);
  return users;
}

const pagesOf10: TestClientOptions = { dialect: { search: { parameters: 'query', pageSize: 10 } } };

describe('the scan over the sandbox', () => {
  it('sees every user with the fields that are readable', async () => {
    const { platform, sandbox } = await openSandboxed({ users: 230 }, pagesOf10);
    const users = await scanAll(platform);

    expect(users).toHaveLength(230);
    for (const user of users) {
      const account = sandbox.state.users.get(user.identification);
      const { job: _job, phoneNumber: _phone, seniority: _seniority, ...readable } = account?.fields ?? {};
      expect(user.fields).toEqual(readable);
      expect(user.unreadable).toEqual([]);
      expect(user.enabled).toBe(account?.enabled);
    }
  });

  it('works with the parameters in the body and with a small largest page', async () => {
    const { platform } = await openSandboxed(
      { quirks: { parameters: 'body', maxPageSize: 7 } },
      { dialect: { search: { parameters: 'body', pageSize: 500 } } },
    );

    expect(await scanAll(platform)).toHaveLength(60);
  });

  it.each(['query', 'body'] as const)('tells that the parameters should not go in the %s', async (parameters) => {
    const { platform } = await openSandboxed(
      { quirks: { parameters: parameters === 'query' ? 'body' : 'query' } },
      { dialect: { search: { parameters, pageSize: 500 } } },
    );

    await expect(scanAll(platform)).rejects.toMatchObject({
      code: 'SCAN_INCOMPLETE',
      message: expect.stringContaining('dialect.search.parameters'),
    });
  });

  it.each([
    'search:missing-page@4',
    'search:duplicate-row@4',
    'search:null-row@4',
    'search:truncate-json@4',
    'search:cut-body@4',
    'search:empty@4',
    'search:html@4',
    'search:status=500@4',
    'search:status=429;retry-after=1@4',
    'search:reset-before-commit@4',
    'search:bom@4',
  ])('is complete in spite of %s', async (fault) => {
    const { platform, sandbox } = await openSandboxed({}, pagesOf10, [fault]);
    const users = await scanAll(platform);

    expect(users.map(({ identification }) => identification).toSorted()).toEqual(
      [...sandbox.state.users.keys()].toSorted(),
    );
  });

  it.each([
    'search:missing-page@4-',
    'search:null-row',
    'search:total-off=3',
    'search:total-off=-3',
    'search:ignore-parameters',
    'search:shift-pages',
    'search:shift-pages@4',
    'search:shift-pages=-1@4',

    'search:truncate-json@4-',
  ])('never ends as complete under %s', async (fault) => {
    const { platform } = await openSandboxed({}, pagesOf10, [fault]);

    await expect(scanAll(platform)).rejects.toMatchObject({
      code: expect.stringMatching(/^(SCAN_INCOMPLETE|PLATFORM_ANSWER_INVALID)$/),
    });
  });
});

describe('one user over the sandbox', () => {
  it.each([400, 404, 500] as const)(
    'a missing user is not found where reading one is answered %i',
    async (missingUser) => {
      const { platform, sandbox, clock } = await openSandboxed({ quirks: { missingUser } });

      expect(await platform.find('nobody-at-all', neverAborted)).toEqual({ found: false });
      const [identification = ''] = sandbox.state.users.keys();
      expect(await platform.find(identification, neverAborted)).toMatchObject({
        found: true,
        user: { identification },
      });
      expect(clock.sleeps).toEqual([]);
    },
  );

  it.each(['create', 'update', 'delete'] as const)('never repeats a %s whose answer was lost', async (operation) => {
    const { platform, sandbox } = await openSandboxed({ users: 3 }, {}, [`${operation}:reset-after-commit`]);
    const [identification = ''] = sandbox.state.users.keys();
    const id = String(sandbox.state.users.get(identification)?.id);
    const fields = { firstName: 'Ana', lastName: 'Pérez' };
    const write =
      operation === 'create'
        ? platform.create({ identification: 'new-one', fields }, neverAborted)
        : operation === 'update'
          ? platform.update({ id, identification }, { identification, fields }, neverAborted)
          : platform.remove(identification, { blacklist: false }, neverAborted);

    await expect(write).rejects.toMatchObject({ effect: 'unknown' });
    expect(sandbox.state.requests[operation]).toBe(1);
    expect(sandbox.state.log).toHaveLength(1);
  });
});

describe('a provisioning file over the sandbox', () => {
  it.each(['multipart', 'json', 'json-base64'] as const)(
    'goes as %s, is followed, and takes effect',
    async (encoding) => {
      const { platform, sandbox, clock } = await openSandboxed(
        { users: 3, quirks: { uploadEncodings: [encoding] } },
        { dialect: { upload: { encoding, preprocessing: false } } },
      );
      const path = join(await temporaryFolder(), 'b.csv');
      await writeFile(path, 'command,firstName,lastName,identification\nI,Zoë,Núñez,Z-1\n');
      const receipt = await platform.upload({ path, name: 'päckchen "1".csv' }, neverAborted);
      expect(receipt.status).toEqual({ kind: 'pending', text: 'Processing', isKnown: true });

      await expect(platform.upload({ path, name: 'second.csv' }, neverAborted)).rejects.toMatchObject({
        code: 'PLATFORM_REFUSED',
        status: 400,
        effect: 'none',
      });
      await clock.sleep(1_000);
      expect(await platform.status(receipt.fileId, neverAborted)).toEqual({ kind: 'done', text: 'Processed' });
      expect(sandbox.state.users.get('Z-1')?.fields.firstName).toBe('Zoë');
      expect([...sandbox.state.files.values()].map(({ name }) => name)).toEqual(['päckchen "1".csv']);
    },
  );

  it('tells failed, unknown and absent statuses apart', async () => {
    const statusUnder = async (fault: string): Promise<unknown> => {
      const { platform, clock } = await openSandboxed({ users: 3 }, {}, [fault]);
      const path = join(await temporaryFolder(), 'b.csv');
      await writeFile(path, 'command,firstName,lastName,identification\nI,Zoë,Núñez,Z-1\n');
      const { fileId } = await platform.upload({ path, name: 'b.csv' }, neverAborted);
      await clock.sleep(1_000);
      return platform.status(fileId, neverAborted);
    };

    expect(await statusUnder('file:fail')).toMatchObject({ kind: 'failed' });
    expect(await statusUnder('file:unknown-status=Weird')).toEqual({
      kind: 'pending',
      text: 'unknown status',
      isKnown: false,
      raw: 'Weird',
    });
    expect(await statusUnder('status:absent')).toEqual({ kind: 'no-status' });
  });
});

describe('token calls over the sandbox', () => {
  const call = (sandbox: RunningSandbox, refreshToken = sandbox.refreshToken) => ({
    baseUrl: sandbox.url,
    applicationToken: sandbox.applicationToken,
    refreshToken,
    expiresIn: defaultDialect.expiresIn,
    timeoutMs: 2_000,
    now: () => 0,
  });

  it('a refresh gives a new pair once; the used token is an invalid grant', async () => {
    const { sandbox } = await openSandboxed();
    const granted = await exchangeRefreshToken(call(sandbox), neverAborted);
    expect(granted).toMatchObject({ kind: 'granted', expiresInMs: 3_600_000 });

    const again = await exchangeRefreshToken(call(sandbox), neverAborted);
    expect(again).toMatchObject({ kind: 'invalid-grant' });
    expect(JSON.stringify(again)).not.toContain(sandbox.refreshToken);
  });

  it('reads expires_in in milliseconds when the dialect says so', async () => {
    const { sandbox } = await openSandboxed({ quirks: { expiresIn: 'ms' } });
    const granted = await exchangeRefreshToken({ ...call(sandbox), expiresIn: 'milliseconds' }, neverAborted);

    expect(granted).toMatchObject({ kind: 'granted', expiresInMs: 3_600_000 });
  });

  it.each([
    ['token:status=429;retry-after=120', { kind: 'not-sent', afterMs: 120_000 }],
    ['token:status=503;retry-after=999999', { kind: 'unknown', afterMs: 3_600_000 }],
    ['token:status=500;retry-after=120', { kind: 'unknown' }],
    ['token:status=429', { kind: 'not-sent' }],
  ])('under %s a refresh tells how long the platform wants to be left alone', async (fault, expected) => {
    const { sandbox } = await openSandboxed({}, {}, [fault]);
    expect(await exchangeRefreshToken(call(sandbox), neverAborted)).toEqual({
      ...expected,
      isAnswered: true,
      reason: expect.any(String),
    });
  });

  it('a refresh that hangs, or is aborted, ends unknown', async () => {
    const { sandbox } = await openSandboxed({}, {}, ['token:hang']);

    expect(await exchangeRefreshToken({ ...call(sandbox), timeoutMs: 50 }, neverAborted)).toMatchObject({
      kind: 'unknown',
    });
    expect(await exchangeRefreshToken(call(sandbox), AbortSignal.timeout(50))).toMatchObject({ kind: 'unknown' });
  });

  it('a refresh to a platform that is down was certainly not sent', async () => {
    const { sandbox } = await openSandboxed();
    await sandbox.close();

    expect(await exchangeRefreshToken(call(sandbox), neverAborted)).toMatchObject({ kind: 'not-sent' });
  });

  it('a revoked token is revoked again without error, and no longer accepted', async () => {
    const { sandbox, platform } = await openSandboxed();
    const revoke = { baseUrl: sandbox.url, accessToken: sandbox.accessToken, timeoutMs: 2_000, now: () => 0 };
    expect(await revokeToken(revoke, neverAborted)).toEqual({ kind: 'revoked' });
    expect(await revokeToken(revoke, neverAborted)).toEqual({ kind: 'revoked' });

    await expect(scanAll(platform)).rejects.toMatchObject({ code: 'PLATFORM_UNAUTHORIZED' });
  });
});
