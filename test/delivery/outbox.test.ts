import { readdirSync } from 'node:fs';
import { lstat, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/core/plan/change.ts';
import { openOutbox } from '../../src/delivery/provisioning-file.ts';
import { neverAborted } from '../platform/test-client.ts';
import { batchOf, change, create, ioOver } from './batches.ts';
import { scriptedPlatform } from './scripted-platform.ts';
import { watchSync } from './watch-sync.ts';

async function openInFolder() {
  const { platform, calls } = scriptedPlatform();
  const io = await ioOver(platform);
  return { delivery: openOutbox(io), folder: io.outboxFolder, calls };
}

/** A change that calls `onRead` each time its identification is read: when its row is written, above all. */
function watched(original: Change, onRead: () => void): Change {
  return {
    ...original,
    get identification() {
      onRead();
      return original.identification;
    },
  };
}

describe('the outbox', () => {
  it('gets the file of the batch, in a folder of our own, and calls nothing', async () => {
    const { delivery, folder, calls } = await openInFolder();

    expect(await delivery.submit(batchOf([create('E1')]), neverAborted)).toEqual({
      kind: 'exported',
      path: `${folder}/rollcall_b1.csv`,
    });

    expect(await readdir(folder)).toEqual(['rollcall_b1.csv']);
    expect(await readFile(`${folder}/rollcall_b1.csv`, 'utf8')).toBe(
      'command,email,firstName,lastName,identification\nI,ana@example.com,Ana,Núñez,E1\n',
    );
    expect((await lstat(folder)).mode & 0o777).toBe(0o700);
    expect((await lstat(dirname(folder))).mode & 0o777).toBe(0o700);
    expect((await lstat(`${folder}/rollcall_b1.csv`)).mode & 0o777).toBe(0o600);
    expect(calls).toEqual([]);
  });

  it('has nothing under the final name while rows are written', async () => {
    const { delivery, folder } = await openInFolder();
    const during: string[][] = [];
    const changes = Array.from({ length: 2000 }, (_, i) =>
      watched(create(`E${i}`), () => during.push(readdirSync(folder))),
    );

    await delivery.submit(batchOf(changes), neverAborted);

    expect(during.at(-1)).toEqual(['rollcall_b1.csv.part']);
    expect(during.flat()).not.toContain('rollcall_b1.csv');
    expect((await readFile(`${folder}/rollcall_b1.csv`, 'utf8')).split('\n')).toHaveLength(2002);
  });

  it('has nothing under the final name before the whole file is on the disk', async () => {
    const { delivery, folder } = await openInFolder();
    const atSync: string[][] = [];
    await watchSync(() => atSync.push(readdirSync(folder)));

    await delivery.submit(batchOf([create('E1')]), neverAborted);

    // The second sync is the folder's: the new name survives a power cut.
    expect(atSync).toEqual([['rollcall_b1.csv.part'], ['rollcall_b1.csv']]);
  });

  it('has nothing under the final name when the file could not be written whole', async () => {
    const { delivery, folder } = await openInFolder();
    const remove = change('E2', { kind: 'remove', after: {}, changed: [] });

    await expect(delivery.submit(batchOf([create('E1'), remove]), neverAborted)).rejects.toThrow(RangeError);

    expect(await readdir(folder), 'nor what was begun: it holds personal data').toEqual([]);
  });

  it('gets the whole file again after a try that broke off, with nothing left of that try', async () => {
    const { delivery, folder } = await openInFolder();
    await delivery.submit(batchOf([create('E1')]), neverAborted);
    await writeFile(`${folder}/rollcall_b1.csv.part`, 'x'.repeat(10_000));

    await delivery.submit(batchOf([create('E2')]), neverAborted);

    expect(await readdir(folder)).toEqual(['rollcall_b1.csv']);
    expect(await readFile(`${folder}/rollcall_b1.csv`, 'utf8')).toMatch(/Núñez,E2\n$/);
  });
});
