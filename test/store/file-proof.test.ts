import { copyFile, mkdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { openFileProof } from '../../src/store/db/file-proof.ts';
import { openStore } from '../../src/store/index.ts';
import { openDatabase } from '../../src/store/open-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const files = (path: string) => [path, `${path}-wal`, `${path}-shm`];

async function open(): Promise<{ readonly store: Store; readonly path: string }> {
  const path = join(await temporaryFolder(), 'store.db');
  const store = await openStore(`sqlite:${path}`, { folder: '.' });
  onTestFinished(() => store.close());
  expect(await store.fault(1)).toBeUndefined();
  return { store, path };
}

it('a store whose file was deleted starts no run, presents no token, and says why', async () => {
  const { store, path } = await open();
  for (const file of files(path)) await rm(file, { force: true });
  await expect(store.leases.take('run:r1', 'me', 1000, 2)).rejects.toMatchObject({ code: 'STORE_INVALID' });
  await expect(store.leases.take('token:acme', 'me', 1000, 2)).rejects.toThrow(/deleted or replaced/);
  expect(await store.fault(2)).toBe('its file was deleted or replaced');
});

it('a store whose file was replaced by a copy writes nothing that would be lost, until its own file is back', async () => {
  const { store, path } = await open();
  await copyFile(path, `${path}.copy`);
  await rename(path, `${path}.own`);
  await rename(`${path}.copy`, path);
  expect(await store.fault(2)).toBe('its file was deleted or replaced');
  await rename(`${path}.own`, path);
  expect(await store.fault(3)).toBeUndefined();
});

it('a file is known by what is written into it, on a volume that shows it as another file at each look', async () => {
  const { path } = await open();
  const { db } = await openDatabase(`sqlite:${path}`, { folder: '.' });
  onTestFinished(() => db.destroy());
  let looks = 0;
  const prove = await openFileProof(db, path, async () => `volume ${++looks}`);
  await expect(prove()).resolves.toBeUndefined();
  await copyFile(path, `${path}.copy`);
  await rename(path, `${path}.own`);
  await rename(`${path}.copy`, path);
  await expect(prove()).rejects.toThrow(/deleted or replaced/);
});

it('a folder that is mounted by a link may lead to the same file by another one, and to no other file', async () => {
  const folder = await temporaryFolder();
  const [own, other, mounted] = ['own', 'other', 'data'].map((name) => join(folder, name));
  await mkdir(`${own}`);
  await symlink(`${own}`, `${mounted}`);
  const store = await openStore(`sqlite:${mounted}/store.db`, { folder: '.' });
  onTestFinished(() => store.close());
  const mount = async (target: string): Promise<void> => {
    await symlink(target, `${mounted}.next`);
    await rename(`${mounted}.next`, `${mounted}`);
  };
  await symlink(`${own}`, `${own}.again`);
  await mount(`${own}.again`);
  expect(await store.fault(1)).toBeUndefined();
  await mkdir(`${other}`);
  await copyFile(`${own}/store.db`, `${other}/store.db`);
  await mount(`${other}`);
  expect(await store.fault(2)).toBe('its file was deleted or replaced');
});
