import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { User } from '../../src/core/person/fields.ts';
import { PlatformError } from '../../src/core/run/errors.ts';
import type { Platform } from '../../src/ports/platform.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** An implementation of `Platform` over a community that begins with the users E1 to E30, every tenth disabled. */
export interface PlatformUnderTest {
  readonly platform: Platform;
  /** Lets every provisioning file be processed. */
  settle(): Promise<void>;
  /** The next call of this kind loses its answer after the platform has done it. */
  loseNextAnswer(operation: 'create' | 'update' | 'delete' | 'upload'): void;
  /** How often the platform saw such a call. */
  calls(operation: 'create' | 'update' | 'delete' | 'upload'): number;
}

const signal = new AbortController().signal;
const fields = { firstName: 'Ana', lastName: 'Gómez', email: 'ana@example.com' };

async function scanAll(platform: Platform): Promise<User[]> {
  const users: User[] = [];
  for await (const page of platform.scan(signal)) users.push(...page.users);
  return users;
}

async function csvFile(text: string): Promise<{ path: string; name: string }> {
  const path = join(await temporaryFolder(), 'batch.csv');
  await writeFile(path, text);
  return { path, name: 'batch.csv' };
}

/** What `ports/platform.ts` promises, for any implementation. */
export function describePlatformContract(name: string, open: () => Promise<PlatformUnderTest>): void {
  describe(`the platform port: ${name}`, () => {
    it('scans every user once, enabled and disabled, in order of id', async () => {
      const users = await scanAll((await open()).platform);

      expect(users.map(({ identification }) => identification)).toEqual(
        Array.from({ length: 30 }, (_, i) => `E${i + 1}`),
      );
      expect(users.filter(({ enabled }) => !enabled).map(({ identification }) => identification)).toEqual([
        'E10',
        'E20',
        'E30',
      ]);
    });

    it('finds whom there is, and only exactly', async () => {
      const { platform } = await open();

      expect(await platform.find('E3', signal)).toMatchObject({ found: true, user: { identification: 'E3' } });
      for (const nobody of ['e3', 'E', 'E31', 'E3/'])
        expect(await platform.find(nobody, signal)).toEqual({ found: false });
    });

    it('shows what was created, updated and removed', async () => {
      const { platform } = await open();
      const { userId } = await platform.create({ identification: 'N/1', fields }, signal);
      const created = await platform.find('N/1', signal);
      if (created.found !== true) throw new Error('the created user is not found');
      expect(created.user).toMatchObject({ id: userId, enabled: true, fields });

      await platform.update(created.user, { identification: 'N/1', fields: { ...fields, area: 'Sales' } }, signal);
      expect(await platform.find('N/1', signal)).toMatchObject({ user: { fields: { ...fields, area: 'Sales' } } });

      await platform.remove('N/1', { blacklist: false }, signal);
      expect(await platform.find('N/1', signal)).toEqual({ found: false });
      expect(await scanAll(platform)).toHaveLength(30);
    });

    it('takes a file, and tells when it is done', async () => {
      const { platform, settle } = await open();
      const file = await csvFile('command,firstName,lastName,identification\nD,Ana,Gómez,E5\n');
      const receipt = await platform.upload(file, signal);
      expect(receipt.status.kind).toBe('pending');
      await settle();

      expect(await platform.status(receipt.fileId, signal)).toMatchObject({ kind: 'done' });
      expect(await platform.find('E5', signal)).toMatchObject({ user: { enabled: false } });
    });

    it('never repeats a write whose answer was lost, and says that it may have been taken', async () => {
      const file = await csvFile('command,firstName,lastName,identification\nD,Ana,Gómez,E5\n');
      const target = { id: '1', identification: 'E1' };
      const writes = {
        create: (platform: Platform) => platform.create({ identification: 'N1', fields }, signal),
        update: (platform: Platform) => platform.update(target, { identification: 'E1', fields }, signal),
        delete: (platform: Platform) => platform.remove('E1', { blacklist: false }, signal),
        upload: (platform: Platform) => platform.upload(file, signal),
      };
      for (const operation of ['create', 'update', 'delete', 'upload'] as const) {
        const under = await open();
        under.loseNextAnswer(operation);
        const error: unknown = await writes[operation](under.platform).then(
          () => undefined,
          (thrown) => thrown,
        );

        expect(error, operation).toBeInstanceOf(PlatformError);
        expect(error, operation).toMatchObject({ effect: 'unknown' });
        expect(under.calls(operation), operation).toBe(1);
      }
    });

    it('does nothing for a caller who has given up', async () => {
      const { platform, calls } = await open();
      const gone = AbortSignal.abort();

      await expect(platform.create({ identification: 'N1', fields }, gone)).rejects.toMatchObject({ effect: 'none' });
      await expect(platform.remove('E1', { blacklist: true }, gone)).rejects.toMatchObject({ effect: 'none' });
      await expect(platform.scan(gone).next()).rejects.toMatchObject({ code: 'CANCELLED' });
      expect(calls('create') + calls('delete')).toBe(0);
    });
  });
}
