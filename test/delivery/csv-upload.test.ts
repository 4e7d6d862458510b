import { lstat, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { defaultDialect } from '../../src/core/settings.ts';
import { csvDelivery } from '../../src/delivery/csv-upload.ts';
import { deliveryKinds } from '../../src/delivery/registry.ts';
import type { FileToUpload, Platform } from '../../src/ports/platform.ts';
import { closeAndFailOnLeaks } from '../platform/closing.ts';
import { sendJson, startLocalServer } from '../platform/local-server.ts';
import { neverAborted, openTestClient } from '../platform/test-client.ts';
import { batchOf, change, create, ioOver, platformError, refusals, troubles } from './batches.ts';
import { type Act, scriptedPlatform } from './scripted-platform.ts';

closeAndFailOnLeaks();

const batch = () => batchOf([create('E1'), change('E2')]);

/** Opens over a platform that runs `act` with the uploaded file's path. */
async function openCsv(act: (path: string) => Promise<void> | void = () => {}) {
  const onUpload: Act = ([, file]) => act((file as FileToUpload).path);
  const { platform, calls } = scriptedPlatform(onUpload);
  const io = await ioOver(platform);
  return { delivery: csvDelivery.open(io), calls, left: () => readdir(io.scratchFolder) };
}

it('every way to deliver is registered under the kind that it opens', async () => {
  const io = await ioOver(scriptedPlatform().platform);
  expect(deliveryKinds.map(({ kind }) => kind)).toEqual(['csv', 'direct', 'outbox']);
  expect(deliveryKinds.map(({ open }) => open(io).kind)).toEqual(['csv', 'direct', 'outbox']);
});

describe('an uploaded file', () => {
  it('is whole and readable by us alone while it goes up, and is gone afterwards', async () => {
    let seen: unknown;
    const { delivery, calls, left } = await openCsv(async (path) => {
      const { mode } = await lstat(path);
      seen = { mode: mode & 0o777, text: await readFile(path, 'utf8') };
    });

    const submission = await delivery.submit(batch(), neverAborted);

    expect(submission).toEqual({ kind: 'file', fileId: '17', fileName: 'rollcall_b1.csv' });
    expect(seen).toEqual({
      mode: 0o600,
      text: 'command,email,firstName,lastName,identification\nI,ana@example.com,Ana,Núñez,E1\nU,ana@example.com,Ana,Núñez,E2\n',
    });
    expect(calls).toEqual([
      ['upload', { path: expect.stringMatching(/\/rollcall_b1\.csv$/), name: 'rollcall_b1.csv' }],
    ]);
    expect(await left()).toEqual([]);
  });

  it.each(troubles)('is gone when the upload throws: $name', async ({ error }) => {
    const { delivery, left } = await openCsv(() => Promise.reject(error));

    await expect(delivery.submit(batch(), neverAborted)).rejects.toBe(error);
    expect(await left()).toEqual([]);
  });

  it.each(refusals)('is gone and classified: $name', async ({ error, is }) => {
    const { delivery, left } = await openCsv(() => Promise.reject(platformError(error)));

    expect(await delivery.submit(batch(), neverAborted)).toEqual({ ...is, reason: 'the platform says no' });
    expect(await left()).toEqual([]);
  });

  it('is gone when its rows cannot be written', async () => {
    const { delivery, calls, left } = await openCsv();
    const remove = change('E2', { kind: 'remove', after: {}, changed: [] });

    await expect(delivery.submit(batchOf([create('E1'), remove]), neverAborted)).rejects.toThrow(RangeError);
    expect(calls).toEqual([]);
    expect(await left()).toEqual([]);
  });

  it('that cannot be deleted does not hide that the platform took it', async () => {
    const { delivery } = await openCsv(async (path) => {
      await rm(path);
      await mkdir(path);
    });

    expect(await delivery.submit(batch(), neverAborted)).toMatchObject({ kind: 'file', fileId: '17' });
  });

  it('that was deleted already is no trouble', async () => {
    const { delivery, left } = await openCsv((path) => rm(path));

    expect(await delivery.submit(batch(), neverAborted)).toMatchObject({ kind: 'file', fileId: '17' });
    expect(await left()).toEqual([]);
  });
});

describe('over HTTP', () => {
  const openOver = async (platform: Platform) => {
    const io = await ioOver(platform, {
      dialect: { ...defaultDialect, csv: { ...defaultDialect.csv, delimiter: ';' } },
    });
    return { delivery: csvDelivery.open(io), left: () => readdir(io.scratchFolder) };
  };

  it('the file goes up once, in the dialect of the connection', async () => {
    const server = await startLocalServer((_, response) => sendJson(response, 201, { result: { id: 5 } }));
    const { delivery, left } = await openOver(openTestClient(server.url).platform);

    expect(await delivery.submit(batch(), neverAborted)).toMatchObject({ kind: 'file', fileId: '5' });
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]?.body).toContain('U;ana@example.com;Ana;Núñez;E2');
    expect(await left()).toEqual([]);
  });

  it('a run that stops during the upload leaves no file behind and tells that the outcome is not known', async () => {
    const stop = new AbortController();
    const server = await startLocalServer(() => stop.abort(new Error('the run was stopped')));
    const { delivery, left } = await openOver(openTestClient(server.url).platform);

    const end = await delivery.submit(batch(), stop.signal).catch((error: unknown) => error);

    expect(server.seen).toHaveLength(1);
    expect(end).toMatchObject({ kind: 'unknown' });
    expect(await left()).toEqual([]);
  });

  it('a run that was stopped before uploads nothing and leaves no file behind', async () => {
    const server = await startLocalServer((_, response) => sendJson(response, 201, { result: { id: 5 } }));
    const { delivery, left } = await openOver(openTestClient(server.url).platform);

    await expect(delivery.submit(batch(), AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(server.seen).toEqual([]);
    expect(await left()).toEqual([]);
  });
});
