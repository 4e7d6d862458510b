import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { User } from '../../src/core/person/fields.ts';
import type { Platform } from '../../src/ports/platform.ts';
import { parseFault, type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { closeAndFailOnLeaks, closeLater } from './closing.ts';
import { fixedTokens, neverAborted, openTestClient, skippingClock, type TestClientOptions } from './test-client.ts';

closeAndFailOnLeaks();

async function openSandboxed(
  sandboxOptions: Partial<SandboxOptions> = {},
  clientOptions: TestClientOptions = {},
  faults: readonly string[] = [],
) {
  const clock = skippingClock();
  const sandbox = await startSandbox({ users: 60, ...sandboxOptions, now: () => clock.now() });
  closeLater(() => sandbox.close());
  sandbox.setFaults(faults.map((fault) => parseFault(fault)));
  const tokens = fixedTokens(sandbox.accessToken);
  return { ...openTestClient(sandbox.url, { tokens, clock, ...clientOptions }), clock, sandbox };
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

  it.each([
    'search:missing-page@4-',
    'search:ignore-parameters',
    'search:shift-pages',
    'search:shift-pages@4',
    'search:shift-pages=-1@4',
  ])('never ends as complete under %s', async (fault) => {
    const { platform } = await openSandboxed({}, pagesOf10, [fault]);

    await expect(scanAll(platform)).rejects.toMatchObject({
      code: expect.stringMatching(/^(SCAN_INCOMPLETE|PLATFORM_ANSWER_INVALID)$/),
    });
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
});
