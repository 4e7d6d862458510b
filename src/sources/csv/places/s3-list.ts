import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';
import { RollcallError } from '../../../core/run/errors.ts';
import { AnswerInvalid } from '../../../drivers/http/answer-invalid.ts';
import { readBytes } from '../../../drivers/http/transport.ts';
import type { SourceClient } from '../../kit/http/source-client.ts';
import type { S3 } from './config.ts';
import { type Candidate, compilePattern, folderOf } from './newest.ts';
import { isRefusal, readRefusal, refusals, s3Error } from './s3-errors.ts';

const maxPageBytes = 8 * 1024 * 1024;
/** Each page has 1,000 objects. */
const maxPages = 100;

const Page = z.looseObject({
  ListBucketResult: z.looseObject({
    IsTruncated: z.enum(['true', 'false']),
    NextContinuationToken: z.string().optional(),
    Contents: z.array(z.looseObject({ Key: z.string(), LastModified: z.string() })).default([]),
  }),
});

/** Lists the objects that match the pattern in `key` (ListObjectsV2), over all pages. */
export async function listObjects(s3: S3, bucketUrl: string, client: SourceClient): Promise<readonly Candidate[]> {
  const folder = folderOf(s3.key);
  const fileName = s3.key.slice(folder.length);
  const prefix = folder + fileName.slice(0, fileName.indexOf('*'));
  const isMeant = compilePattern(s3.key);
  const name = `ListObjectsV2 s3://${s3.bucket}/${prefix}*`;
  const found: Candidate[] = [];
  let token: string | undefined;
  for (let number = 1; number <= maxPages; number++) {
    const query = new URLSearchParams({ delimiter: '/', 'list-type': '2', prefix });
    if (token !== undefined) query.set('continuation-token', token);
    // The signature reads a plus as a plus, the server as a space.
    const url = `${bucketUrl}${bucketUrl.endsWith(`/${s3.bucket}`) ? '' : '/'}?${query.toString().replaceAll('+', '%20')}`;
    const page = await client.receive({ name, url, headers: { accept: '*/*' }, answers: refusals }, async (answer) => {
      return answer.status === 200 ? readPage(await readBytes(answer, maxPageBytes)) : readRefusal(answer);
    });
    if (isRefusal(page)) throw s3Error(s3, `s3://${s3.bucket}`, page);
    for (const { Key, LastModified } of page.Contents) {
      const at = Date.parse(LastModified);
      if (isMeant(Key.slice(folder.length)) && !Number.isNaN(at)) {
        found.push({ file: Key, writtenAtNs: BigInt(at) * 1_000_000n });
      }
    }
    token = page.NextContinuationToken;
    if (page.IsTruncated === 'false' || token === undefined) return found;
  }
  const message = `${name} has more than ${maxPages} pages: write more of the name before the *`;
  throw new RollcallError(message, { code: 'SOURCE_UNAVAILABLE' });
}

function readPage(bytes: Uint8Array): z.infer<typeof Page>['ListBucketResult'] {
  const parser = new XMLParser({ parseTagValue: false, isArray: (tag) => tag === 'Contents' });
  const parsed = Page.safeParse(parser.parse(Buffer.from(bytes).toString('utf8')));
  if (!parsed.success) throw new AnswerInvalid('the body is not a list of objects', true);
  return parsed.data.ListBucketResult;
}
