import { z } from 'zod';
import { RollcallError } from '../../../core/run/errors.ts';
import { AnswerInvalid } from '../../../drivers/http/json-text.ts';
import { type Answer, readBytes } from '../../../drivers/http/transport.ts';
import { knownWord } from '../../kit/answer-failure.ts';
import type { Authority } from '../../kit/http/authority.ts';
import type { SourceClient } from '../../kit/http/source-client.ts';
import type { S3 } from './config.ts';
import { type Candidate, chooseNewest, compilePattern, folderOf, isPattern } from './newest.ts';
import type { Place, Visit } from './place.ts';
import { stateOf, takeFile, withWebServer } from './web-files.ts';

/**
 * Opens an object of a bucket by the S3 API (GetObject, HeadObject, ListObjectsV2), signed with AWS Signature Version
 * 4.
 */
export function s3Place(s3: S3, newest: 'name' | 'time'): Place {
  const bucketUrl = bucketAddress(s3);
  const server = { origin: new URL(bucketUrl).origin, authority: signer(s3), tls: s3.tls };
  return {
    visit: (io, work) => withWebServer(server, io, (client) => work(visitOf(s3, newest, bucketUrl, client))),
  };
}

function visitOf(s3: S3, newest: 'name' | 'time', bucketUrl: string, client: SourceClient): Visit {
  const nameOf = (key: string): string => `s3://${s3.bucket}/${key}`;
  const urlOf = (key: string): string => `${bucketUrl}/${key.split('/').map(encodeStrictly).join('/')}`;
  const headers = { accept: '*/*' };
  return {
    nameOf,
    async find() {
      if (!isPattern(s3.key)) return { file: s3.key };
      return chooseNewest(nameOf(s3.key), await listObjects(s3, bucketUrl, client), newest);
    },
    async stat(key) {
      const request = { name: `HeadObject ${nameOf(key)}`, url: urlOf(key), headers, answers: refusals };
      const found = await client.receive({ ...request, method: 'HEAD' }, async (answer) =>
        answer.status === 200 ? stateOf(answer) : readRefusal(answer),
      );
      if (!isRefusal(found)) return found;
      if (found.status === 404) return undefined;
      throw s3Error(s3, nameOf(key), found);
    },
    async fetch(key, sink) {
      const request = { name: `GetObject ${nameOf(key)}`, url: urlOf(key), headers, answers: refusals };
      const taken = await client.receive(request, async (answer, deadline) =>
        answer.status === 200 ? takeFile(answer, deadline, sink) : readRefusal(answer),
      );
      if (isRefusal(taken)) throw s3Error(s3, nameOf(key), taken);
      return taken;
    },
  };
}

/**
 * Signs each request. The signature holds this machine's time, which the server compares with its own, so the
 * injected clock is not used.
 */
function signer(s3: S3): Authority {
  const { accessKeyId, secretAccessKey, sessionToken, region } = s3;
  return {
    async credential(_clock, _signal, { method, url }) {
      // Loaded only where it is used.
      const { AwsV4Signer } = await import('aws4fetch');
      const signature = new AwsV4Signer({
        method,
        url,
        accessKeyId,
        secretAccessKey,
        ...(sessionToken === undefined ? {} : { sessionToken }),
        service: 's3',
        region,
      });
      const { headers } = await signature.sign();
      return { headers: Object.fromEntries(headers), generation: undefined };
    },
    renew: async () => false,
  };
}

function bucketAddress({ endpoint, region, bucket, addressing }: S3): string {
  const isAws = endpoint === undefined;
  const where = addressing ?? (isAws && !bucket.includes('.') ? 'host' : 'path');
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  if (where === 'host') url.host = `${bucket}.${url.host}`;
  const address = url.href.replace(/\/$/, '');
  return where === 'host' ? address : `${address}/${bucket}`;
}

/** Percent-encodes every byte except unreserved ones, as the signature requires. */
function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

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
async function listObjects(s3: S3, bucketUrl: string, client: SourceClient): Promise<readonly Candidate[]> {
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
  const message = `${name} has more than ${maxPages} pages: use a longer name before the *`;
  throw new RollcallError(message, { code: 'SOURCE_UNAVAILABLE' });
}

async function readPage(bytes: Uint8Array): Promise<z.infer<typeof Page>['ListBucketResult']> {
  // Large, so it is loaded only where it is used.
  const { XMLParser } = await import('fast-xml-parser');
  const parser = new XMLParser({ parseTagValue: false, isArray: (tag) => tag === 'Contents' });
  const parsed = Page.safeParse(parser.parse(Buffer.from(bytes).toString('utf8')));
  if (!parsed.success) throw new AnswerInvalid('the body is not a list of objects', true);
  return parsed.data.ListBucketResult;
}

/** Statuses whose body gives a reason. Busy ones (429, 500, 503) are not included, because they are retried. */
const refusals: readonly number[] = [301, 307, 400, 401, 403, 404];

/** S3's answer when it refuses a request. */
type S3Refusal = Awaited<ReturnType<typeof readRefusal>>;

function isRefusal(answer: object): answer is S3Refusal {
  return 'status' in answer && 'code' in answer;
}

async function readRefusal(answer: Answer) {
  const code = knownWord(await readBytes(answer, 64 * 1024), 'Code', knownCodes);
  const region = answer.header('x-amz-bucket-region');
  return {
    status: answer.status,
    /** S3's error code: `NoSuchKey`. Undefined in the answer to a HEAD, which has no body. */
    code,
    region: region !== undefined && regionForm.test(region) ? region : undefined,
  };
}

/** S3 error codes that a message may name. */
const knownCodes =
  'AccessDenied AllAccessDisabled AuthorizationHeaderMalformed ExpiredToken InvalidAccessKeyId InvalidBucketName ' +
  'InvalidObjectState InvalidRequest InvalidToken MethodNotAllowed NoSuchBucket NoSuchKey PermanentRedirect ' +
  'RequestTimeTooSkewed SignatureDoesNotMatch TemporaryRedirect';
const regionForm = /^[a-z]{2}(?:-[a-z]+){1,3}-\d{1,2}$/;

/** Returns the operator's error for a refusal. `name` is the object's or the bucket's. */
function s3Error(s3: S3, name: string, { status, code, region }: S3Refusal): RollcallError {
  const what = `${name} was refused: ${code ?? `status ${status}`}`;
  const unavailable = (message: string, retry: 'never' | 'backoff' = 'never'): RollcallError =>
    new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry });
  const rootCause = { topic: 'credential', subject: s3.bucket } as const;
  const refused = (message: string): RollcallError => new RollcallError(message, { code: 'SOURCE_REFUSED', rootCause });
  if (region !== undefined && region !== s3.region) {
    return unavailable(`${what}. The bucket is in ${region}: set source.s3.region`);
  }
  switch (code) {
    case 'NoSuchKey':
      return unavailable(`${name} is not there: check source.s3.key, and that the export has run`, 'backoff');
    case 'NoSuchBucket':
      return unavailable(`${what}. Check source.s3.bucket and source.s3.endpoint`);
    case 'RequestTimeTooSkewed':
      return unavailable(`${what}. The clock of this machine or of the server is wrong`);
    case 'ExpiredToken':
    case 'InvalidToken':
      return refused(`${what}. The temporary credentials have expired: set new ones`);
    case 'SignatureDoesNotMatch':
    case 'InvalidAccessKeyId':
      return refused(`${what}. Check source.s3.accessKeyId, secretAccessKey and region`);
    default:
      return (status === 401 || status === 403 ? refused : unavailable)(
        `${what}. Check key and region, and that the account has s3:GetObject (and s3:ListBucket for a pattern, and to detect a missing object)`,
      );
  }
}
