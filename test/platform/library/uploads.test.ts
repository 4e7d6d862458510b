import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { connectPlatform, type PlatformConnection, type UploadFile } from '../../../src/platform/index.ts';
import { type RunningSandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { closeAndFailOnLeaks, closeLater } from '../closing.ts';

closeAndFailOnLeaks();

const csv = 'command,identification,firstName,lastName\nU,E000001,Zoë,Núñez\n';
const bytes = new TextEncoder().encode(csv);

async function open(
  options: Partial<SandboxOptions> = {},
): Promise<{ sandbox: RunningSandbox; platform: PlatformConnection }> {
  let now = Date.UTC(2026, 4, 20, 12);
  const sandbox = await startSandbox({ users: 25, processingMs: 0, now: () => now++, ...options });
  closeLater(() => sandbox.close());
  const { url: baseUrl, accessToken } = sandbox;
  const platform = connectPlatform({ baseUrl, accessToken, now: () => now, limits: { requestsPerSecond: 1000 } });
  closeLater(() => platform.close());
  return { sandbox, platform };
}

describe('an upload', () => {
  const contents: Readonly<Record<string, () => Extract<UploadFile, { content: unknown }>['content']>> = {
    text: () => csv,
    'a Buffer': () => Buffer.from(csv),
    bytes: () => bytes,
    'a stream of Node': () => Readable.from([bytes.slice(0, 50), bytes.slice(50)]),
    'a stream of text': () => Readable.from(csv.split(/(?<=\n)/)),
    'a web stream': () => new Blob([csv]).stream(),
    'a generator': async function* () {
      yield csv;
    },
  };

  it.each(Object.entries(contents))('takes %s', async (_name, content) => {
    const { sandbox, platform } = await open();

    const { fileId, record } = await platform.userFiles.upload({ name: 'people.csv', content: content() });

    expect(sandbox.state.files.get(Number(fileId))).toMatchObject({ text: csv, preprocessing: false });
    expect(record).toMatchObject({ id: Number(fileId), fileName: 'people.csv', communityId: 1, blocked: true });
    expect(await platform.userFiles.status(fileId)).toMatchObject({ kind: 'done' });
    expect(sandbox.state.users.get('E000001')?.fields.firstName).toBe('Zoë');
  });

  it('takes a path, and a stream of a file', async () => {
    const { sandbox, platform } = await open();
    const path = join(await temporaryFolder(), 'people.csv');
    await writeFile(path, csv);

    await platform.userFiles.upload({ name: 'people.csv', path });
    await platform.userFiles.upload({ name: 'people.csv', content: createReadStream(path) });

    expect([...sandbox.state.files.values()].map(({ text }) => text)).toEqual([csv, csv]);
  });

  it('asks for preprocessing by call', async () => {
    const { sandbox, platform } = await open({ quirks: { fieldMapping: { Nombre: 'firstName' } } });
    const content = csv.replace('firstName', 'Nombre');

    await platform.userFiles.upload({ name: 'people.csv', content, preprocessing: true });

    expect(sandbox.state.users.get('E000001')?.fields.firstName).toBe('Zoë');
  });
});

describe('a list', () => {
  it('yields pages and items, and a page keeps what the platform says of it', async () => {
    const { platform } = await open();
    const pages = await Array.fromAsync(platform.users.pages({ enabled: false, size: 10 }));
    const items = await Array.fromAsync(platform.users.list({ enabled: false, size: 7 }));

    expect(pages.map(({ items: shown }) => shown.length)).toEqual([10, 10, 5]);
    expect(pages.map(({ total, page }) => ({ total, page }))).toEqual(
      [1, 2, 3].map(() => ({ total: 25, page: { totalElements: 25 } })),
    );
    expect(items).toEqual(pages.flatMap(({ items: shown }) => shown));
    expect(items[0]).toMatchObject({ identification: 'E000001', locale: 'en', createdDate: '2026-05-20T12:00:00' });
  });

  it('gives back what an update was accepted with', async () => {
    const { platform } = await open();
    const user = await platform.users.get('E000001');
    const fields = { firstName: 'Zoë', lastName: 'Núñez', customField1: 'CC-7' };

    expect(await platform.users.update(user, { identification: 'E000001', fields })).toEqual({
      userId: String(user.id),
      identification: 'E000001',
      firstName: 'Zoë',
      lastName: 'Núñez',
      customFields: { customField1: 'CC-7' },
    });
  });
});
