import { RollcallError } from '../../../core/run/errors.ts';
import { type Answer, readBytes } from '../../../drivers/http/transport.ts';
import type { S3 } from './config.ts';

/** Statuses whose body gives a reason. Busy ones (429, 500, 503) are not included, because they are retried. */
export const refusals: readonly number[] = [301, 307, 400, 401, 403, 404];

/** S3's answer when it refuses a request. */
export interface S3Refusal {
  readonly status: number;
  /** S3's error code: `NoSuchKey`. Undefined in the answer to a HEAD, which has no body. */
  readonly code: string | undefined;
  readonly region: string | undefined;
}

export function isRefusal(answer: object): answer is S3Refusal {
  return 'status' in answer && 'code' in answer;
}

export async function readRefusal(answer: Answer): Promise<S3Refusal> {
  const text = Buffer.from(await readBytes(answer, 64 * 1024)).toString('utf8');
  const said = /<Code>([A-Za-z0-9]{1,60})<\/Code>/.exec(text)?.[1];
  const code = said !== undefined && knownCodes.has(said) ? said : undefined;
  const region = answer.header('x-amz-bucket-region');
  return { status: answer.status, code, region: region !== undefined && regionForm.test(region) ? region : undefined };
}

/** S3 error codes that a message may name. Any other text is not shown. */
const knownCodes: ReadonlySet<string> = new Set([
  'AccessDenied',
  'AllAccessDisabled',
  'AuthorizationHeaderMalformed',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidBucketName',
  'InvalidObjectState',
  'InvalidRequest',
  'InvalidToken',
  'MethodNotAllowed',
  'NoSuchBucket',
  'NoSuchKey',
  'PermanentRedirect',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
  'TemporaryRedirect',
]);
const regionForm = /^[a-z]{2}(?:-[a-z]+){1,3}-\d{1,2}$/;

/** Returns the operator's error for a refusal. `name` is the object's or the bucket's. */
export function s3Error(s3: S3, name: string, { status, code, region }: S3Refusal): RollcallError {
  const what = `${name} was refused: ${code ?? `status ${status}`}`;
  const unavailable = (message: string, retry: 'never' | 'backoff' = 'never'): RollcallError =>
    new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry });
  const refused = (message: string): RollcallError => new RollcallError(message, { code: 'SOURCE_REFUSED' });
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
