import { describe, expect, it } from 'vitest';
import { defaultDialect } from '../../src/core/run/settings.ts';
import { openUploads } from '../../src/delivery/provisioning-file.ts';
import type { FileToUpload, Platform } from '../../src/ports/platform.ts';
import { closeAndFailOnLeaks } from '../platform/closing.ts';
import { sendJson, startLocalServer } from '../platform/local-server.ts';
import { neverAborted, openTestClient } from '../platform/test-client.ts';
import { batchOf, change, create, ioOver, platformError, refusals, troubles } from './batches.ts';
import { type Act, scriptedPlatform } from './scripted-platform.ts';

closeAndFailOnLeaks();

const batch = () => batchOf([create('E1'), change('E2')]);

/** Opens over a platform that runs `act` with the text of the uploaded file. */
async function openCsv(act: (text: string) => Promise<void> | void = () => {}) {
  const onUpload: Act = ([, file]) => act(textOf(file as FileToUpload));
  const { platform, calls } = scriptedPlatform(onUpload);
  return { delivery: openUploads(await ioOver(platform)), calls };
}

function textOf(file: FileToUpload): string {
  if (!('content' in file)) throw new Error('the upload is a file on disk');
  return Buffer.from(file.content).toString('utf8');
}

describe('an uploaded file', () => {
  it('is whole, and is in memory alone', async () => {
    let seen: unknown;
    const { delivery, calls } = await openCsv((text) => {
      seen = text;
    });

    const submission = await delivery.submit(batch(), neverAborted);

    expect(submission).toEqual({ kind: 'file', fileId: '17', fileName: 'rollcall_b1.csv' });
    expect(seen).toBe(
      'command,email,firstName,lastName,identification\nI,ana@example.com,Ana,Núñez,E1\nU,ana@example.com,Ana,Núñez,E2\n',
    );
    expect(calls).toEqual([['upload', { content: expect.any(Uint8Array), name: 'rollcall_b1.csv' }]]);
  });

  it.each(troubles)('passes on what the upload throws: $name', async ({ error }) => {
    const { delivery } = await openCsv(() => Promise.reject(error));

    await expect(delivery.submit(batch(), neverAborted)).rejects.toBe(error);
  });

  it.each(refusals)('is classified when the platform refuses it: $name', async ({ error, is }) => {
    const { delivery } = await openCsv(() => Promise.reject(platformError(error)));

    expect(await delivery.submit(batch(), neverAborted)).toStrictEqual({ ...is, reason: 'the platform says no' });
  });

  it.each([
    [{ kind: 'pending', text: 'Zzz', isKnown: false, raw: 'Zzz' }, true],
    [{ kind: 'pending', text: 'Processing', isKnown: true }, false],
    [{ kind: 'done', text: 'Done' }, false],
  ] as const)('brings back a status that the dialect does not name: %j', async (status, isKept) => {
    const upload = async () => ({ fileId: '17', status });
    const delivery = openUploads(await ioOver({ ...scriptedPlatform().platform, upload }));

    const file = { kind: 'file', fileId: '17', fileName: 'rollcall_b1.csv' };
    expect(await delivery.submit(batch(), neverAborted)).toStrictEqual(isKept ? { ...file, status } : file);
  });

  it.each([
    { name: 'a 400, for which the contract has no other word', error: { status: 400 }, mayBeBusy: true },
    { name: 'another status', error: { status: 422 }, mayBeBusy: undefined },
    { name: 'a platform that says so itself', error: { status: 400, code: 'PLATFORM_BUSY' } },
    { name: 'an answer whose effect nobody knows', error: { status: 400, effect: 'unknown' } },
  ] as const)('may be refused by a busy platform: $name', async ({ error, ...is }) => {
    const { delivery } = await openCsv(() => Promise.reject(platformError({ code: 'PLATFORM_REFUSED', ...error })));

    const end = await delivery.submit(batch(), neverAborted);
    expect('mayBeBusy' in end ? end.mayBeBusy : undefined).toBe('mayBeBusy' in is ? is.mayBeBusy : undefined);
  });

  it('that is refused keeps what the platform said, sealed from messages', async () => {
    const { delivery } = await openCsv(() =>
      Promise.reject(platformError({ code: 'PLATFORM_REFUSED', raw: 'row 2: ana@example.com' })),
    );

    const end = await delivery.submit(batch(), neverAborted);
    expect(end).toEqual({ kind: 'refused', reason: 'the platform says no', raw: 'row 2: ana@example.com' });
  });

  it('is too large, and not refused, when the platform says 413', async () => {
    const { delivery } = await openCsv(() => Promise.reject(platformError({ status: 413 })));

    const end = { kind: 'too-large', reason: 'the platform says no', status: 413 };
    expect(await delivery.submit(batch(), neverAborted)).toEqual(end);
  });

  it('is not sent when its rows cannot be written', async () => {
    const { delivery, calls } = await openCsv();
    const remove = change('E2', { kind: 'remove', after: {}, changed: [] });

    await expect(delivery.submit(batchOf([create('E1'), remove]), neverAborted)).rejects.toThrow(RangeError);
    expect(calls).toEqual([]);
  });
});

describe('over HTTP', () => {
  const openOver = async (platform: Platform) => {
    const io = await ioOver(platform, {
      dialect: { ...defaultDialect, csv: { ...defaultDialect.csv, delimiter: ';' } },
    });
    return openUploads(io);
  };

  it('the file goes up once, in the dialect of the connection', async () => {
    const server = await startLocalServer((_, response) => sendJson(response, 201, { result: { id: 5 } }));
    const delivery = await openOver(openTestClient(server.url).platform);

    expect(await delivery.submit(batch(), neverAborted)).toMatchObject({ kind: 'file', fileId: '5' });
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]?.body).toContain('U;ana@example.com;Ana;Núñez;E2');
  });

  it('a run that stops during the upload tells that the outcome is not known', async () => {
    const stop = new AbortController();
    const server = await startLocalServer(() => stop.abort(new Error('the run was stopped')));
    const delivery = await openOver(openTestClient(server.url).platform);

    const end = await delivery.submit(batch(), stop.signal).catch((error: unknown) => error);

    expect(server.seen).toHaveLength(1);
    expect(end).toMatchObject({ kind: 'unknown' });
  });

  it('a run that was stopped before uploads nothing', async () => {
    const server = await startLocalServer((_, response) => sendJson(response, 201, { result: { id: 5 } }));
    const delivery = await openOver(openTestClient(server.url).platform);

    await expect(delivery.submit(batch(), AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(server.seen).toEqual([]);
  });
});
