import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { openSource } from '../../../src/sources/registry.ts';
import { readWhole, sourceIo } from '../../contracts/source.ts';
import { openFileDoor, type Reply } from '../../fakes/hris/file-door.ts';
import { makeCertificate } from '../../support/services/authority.ts';
import { sourceBase } from '../../support/source-base.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const people = 'id,name\n1,Ana\n2,Luz\n';
const reply = (body: string, headers: Readonly<Record<string, string>> = {}, status = 200): Reply => ({
  status,
  headers,
  body: Buffer.from(body),
});

/** A source of a plain server on this machine that answers so. */
async function serve(answer: (request: IncomingMessage, number: number) => Reply) {
  let number = 0;
  const door = await openFileDoor(async (request) => {
    number += 1;
    return answer(request, number);
  });
  const base = sourceBase(await temporaryFolder());
  const url = `http://127.0.0.1:${door.port}/employees.csv`;
  return {
    door,
    open: (https: Readonly<Record<string, unknown>> = {}, config: Readonly<Record<string, unknown>> = {}) =>
      openSource({ kind: 'csv', https: { url, ...https }, ...config }, base),
  };
}

describe('a CSV file behind an address', () => {
  it('is not fetched from a server whose certificate nobody vouches for, nor is the password sent', async () => {
    const [certificate, other] = [await makeCertificate(), await makeCertificate()];
    const door = await openFileDoor(async () => reply(people), undefined, certificate);
    const https = { url: `https://127.0.0.1:${door.port}/a.csv`, auth: { kind: 'bearer', token: 't' } };
    const base = sourceBase(await temporaryFolder());

    for (const tls of [undefined, { ca: other.ca }]) {
      const refused = openSource({ kind: 'csv', https: { ...https, ...(tls && { tls }) } }, base).fields(sourceIo());
      await expect(refused).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'never' });
      await expect(refused).rejects.toThrow(/secure connection could not be made/);
    }
    expect(door.asked).toEqual([]);
  });

  it.each([
    ['basic', { kind: 'basic', username: 'u', password: 'p:é' }, 'authorization', 'Basic dTpwOsOp'],
    ['bearer', { kind: 'bearer', token: 'abc' }, 'authorization', 'Bearer abc'],
    ['a header', { kind: 'headers', headers: { 'x-api-key': 'k' } }, 'x-api-key', 'k'],
  ])('is asked for with %s', async (_, auth, header, expected) => {
    const seen: unknown[] = [];
    const { open } = await serve(({ headers }) => {
      seen.push(headers[header]);
      return reply(people, { etag: '"1"' });
    });

    await readWhole(open({ auth }));

    expect(new Set(seen)).toEqual(new Set([expected]));
  });

  it.each([400, 403, 404, 405, 501])('may stand on a server that answers HEAD with %i', async (status) => {
    const { open, door } = await serve(({ method }) =>
      method === 'HEAD' ? reply('', {}, status) : reply(people, { etag: '"1"' }),
    );

    expect((await readWhole(open())).end).toMatchObject({ complete: true, rows: 2 });
    expect(door.asked.map((line) => line.split(' ')[0])).toEqual(['GET', 'HEAD', 'GET']);
  });

  it.each([
    ['the same', () => people, true],
    ['another', (number: number) => `${people}${number + 2},Eva\n`, false],
  ])('is fetched twice where the server shows no version, and the second is %s', async (_, text, complete) => {
    const { open } = await serve((_request, number) => reply(text(number)));

    expect((await readWhole(open())).end).toMatchObject({ complete });
  });

  it.each([
    ['of its own for each answer, with one content', {}, () => people, true],
    ['that moves with the content', {}, (number: number) => `${people}${number + 2},Eva\n`, false],
    [
      'that moves, and a trailer',
      { complete: 'trailer' },
      (number: number) => `${people}${number + 2},Eva\nT,3\n`,
      true,
    ],
  ])('may have a time %s', async (_, config, text, complete) => {
    const { open } = await serve((_request, number) =>
      reply(text(number), { 'last-modified': new Date(Date.UTC(2026, 10, 21, 10, 0, number)).toUTCString() }),
    );

    expect((await readWhole(open({}, config))).end).toMatchObject({ complete });
  });

  it.each([
    ['text/html; charset=UTF-8', people, undefined],
    ['application/json', people, undefined],
    ['text/html', '<!doctype html><p>Sign in', /sign-in page/],
    ['text/csv', '\n <html>Be right back', /maintenance page/],
    ['text/csv', '{"error":"no export"}', /is JSON, not CSV/],
  ])('is judged by its first bytes, not by its label: %s, %j', async (type, body, refusal) => {
    const { open } = await serve(() => reply(body, { 'content-type': type, etag: '"1"' }));
    const read = readWhole(open());

    if (refusal === undefined) expect((await read).end).toMatchObject({ complete: true, rows: 2 });
    else await expect(read).rejects.toThrow(refusal);
  });

  it('is fetched once where a trailer proves it', async () => {
    const { open, door } = await serve(() => reply(`${people}T,2\n`));

    expect((await readWhole(open({}, { complete: 'trailer' }))).end).toMatchObject({ complete: true, rows: 2 });
    expect(door.asked.filter((line) => line.startsWith('GET'))).toHaveLength(1);
  });

  it.each([
    ['its time', { 'last-modified': 'Sat, 21 Nov 2026 10:00:00 GMT' }, ['Sat, 21 Nov 2026 11:00:00 GMT', ''], true],
    [
      'a former time',
      { 'last-modified': 'Sat, 21 Nov 2026 10:00:00 GMT' },
      ['Sat, 21 Nov 2026 09:00:00 GMT', ''],
      /older than the file/,
    ],
    ['no time and no figure', { etag: '"1"' }, [undefined, 'done'], /does not prove that it belongs to this file/],
    ['no time and the rows', { etag: '"1"' }, [undefined, 'rows=2'], true],
  ])('may have a marker beside it, with %s', async (_, headers, [markedAt, text], expected) => {
    const { open, door } = await serve(({ url }) =>
      url?.startsWith('/employees.csv.done')
        ? reply(text ?? '', markedAt === undefined ? {} : { 'last-modified': markedAt })
        : reply(people, headers),
    );

    const { end } = await readWhole(open({}, { complete: 'marker' }));

    if (expected === true) expect(end).toMatchObject({ complete: true });
    else expect(end).toMatchObject({ complete: false, reasons: [expect.stringMatching(expected as RegExp)] });
    expect(door.asked).toContain('GET /employees.csv.done');
  });

  it('that is not there is waited for by the next run, and its query stays unsaid', async () => {
    const { door } = await serve(() => reply('', {}, 404));
    const url = `http://127.0.0.1:${door.port}/a.csv?key=hidden`;

    const refused = readWhole(openSource({ kind: 'csv', https: { url } }, sourceBase(await temporaryFolder())));

    await expect(refused).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
    await expect(refused).rejects.toThrow(/\/a\.csv is not there \(404\)/);
    await expect(refused).rejects.not.toThrow(/hidden/);
  });

  it('has its header read without the rest', async () => {
    const { open } = await serve(() => reply(`id,name\n${'1,Ana\n'.repeat(2_000_000)}`, { etag: '"1"' }));

    expect(await open().fields(sourceIo())).toEqual(['id', 'name']);
  });
});
