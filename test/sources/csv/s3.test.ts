import { describe, expect, it } from 'vitest';
import { openSource } from '../../../src/sources/registry.ts';
import { readWhole, sourceIo } from '../../contracts/source.ts';
import { openFileDoor, type Reply } from '../../fakes/hris/file-door.ts';
import { startS3 } from '../../support/services/s3.ts';
import { sourceBase } from '../../support/source-base.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const people = 'id,name\n1,Ana\n2,Luz\n';

async function bucket() {
  const { port, put, bucket, accessKeyId, secretAccessKey } = await startS3();
  const base = sourceBase(await temporaryFolder());
  const s3 = { endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', bucket, accessKeyId, secretAccessKey };
  return {
    put,
    open: (more: Readonly<Record<string, unknown>>, config: Readonly<Record<string, unknown>> = {}) =>
      openSource({ kind: 'csv', s3: { ...s3, ...more }, ...config }, base),
  };
}

/** A source whose service answers everything so. */
async function refusing(answer: Reply) {
  const door = await openFileDoor(async () => answer);
  const s3 = { region: 'eu-west-1', bucket: 'hr-exports', accessKeyId: 'a', secretAccessKey: 'b', key: 'a-*.csv' };
  const endpoint = `http://127.0.0.1:${door.port}`;
  return openSource({ kind: 'csv', s3: { ...s3, endpoint } }, sourceBase(await temporaryFolder()));
}

describe('a CSV file in a bucket', () => {
  it('may have any name', async () => {
    const { open, put } = await bucket();
    const key = "Daily exports/people (1)+é'!.csv";
    await put(key.split('/').map(encodeURIComponent).join('/'), people);

    expect((await readWhole(open({ key }))).end).toMatchObject({ complete: true, rows: 2 });
  });

  it('is the newest of a pattern, however many pages the list has', async () => {
    const { open, put } = await bucket();
    for (let day = 1; day <= 12; day++) await put(`daily/people-${day}.csv`, people.replace('Ana', `day ${day}`));
    await put('daily/people-12.csv.done', 'rows=2');
    await put('daily/old/people-99.csv', people);

    const { pages, end } = await readWhole(open({ key: 'daily/people-*.csv' }, { complete: 'marker' }));

    expect(pages[0]?.records[0]?.fields.name).toBe('day 12');
    expect(end).toMatchObject({
      complete: true,
      evidence: expect.stringContaining('s3://hr-exports/daily/people-12.csv.done'),
    });
  });

  it.each([
    ['no such object', 'none.csv', 'backoff', /s3:\/\/hr-exports\/none\.csv is not there: check source\.s3\.key/],
    ['nothing of the pattern', 'none-*.csv', 'backoff', /no file matches s3:\/\/hr-exports\/none-\*\.csv/],
  ])('is missed: %s', async (_, key, retry, message) => {
    const { open } = await bucket();

    const refused = open({ key }).fields(sourceIo());

    await expect(refused).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry });
    await expect(refused).rejects.toThrow(message);
  });

  it.each([
    [301, 'PermanentRedirect', { 'x-amz-bucket-region': 'eu-central-1' }, /is in eu-central-1: set source\.s3\.region/],
    [403, 'RequestTimeTooSkewed', {}, /clock of this machine/],
    [400, 'ExpiredToken', {}, /temporary credentials have expired/],
    [403, 'AccessDenied', {}, /s3:GetObject/],
    [404, 'NoSuchBucket', {}, /Check source\.s3\.bucket/],
  ])('is refused for good: %s %s', async (status, code, headers, message) => {
    const source = await refusing({ status, headers, body: Buffer.from(`<Error><Code>${code}</Code></Error>`) });

    const refused = source.fields(sourceIo());

    const isAboutUs = code === 'ExpiredToken' || code === 'AccessDenied';
    const expected = { code: isAboutUs ? 'SOURCE_REFUSED' : 'SOURCE_UNAVAILABLE', retry: 'never' };
    await expect(refused).rejects.toMatchObject(expected);
    await expect(refused).rejects.toThrow(message);
  });

  it('reads a list in several pages', async () => {
    const asked: string[] = [];
    const names = ['a-1.csv', 'a-2.csv', 'a-3.csv'];
    const door = await openFileDoor(async ({ url = '' }) => {
      asked.push(url);
      const query = new URLSearchParams(url.split('?')[1]);
      if (!query.has('list-type')) return { status: 200, headers: { etag: '"1"' }, body: Buffer.from(people) };
      const at = Number(query.get('continuation-token') ?? '0');
      const more = at < 2 ? `<NextContinuationToken>${at + 1}</NextContinuationToken>` : '';
      const item = `<Contents><Key>${names[at]}</Key><LastModified>2026-11-21T00:00:00Z</LastModified></Contents>`;
      const page = `<ListBucketResult><IsTruncated>${at < 2}</IsTruncated>${more}${item}</ListBucketResult>`;
      return { status: 200, headers: { 'content-type': 'application/xml' }, body: Buffer.from(page) };
    });
    const s3 = { region: 'us-east-1', bucket: 'hr-exports', accessKeyId: 'a', secretAccessKey: 'b', key: 'a-*.csv' };
    const endpoint = `http://127.0.0.1:${door.port}`;

    await readWhole(openSource({ kind: 'csv', s3: { ...s3, endpoint } }, sourceBase(await temporaryFolder())));

    expect(asked.at(-1)).toBe('/hr-exports/a-3.csv');
  });
});
