import { RollcallError } from '../../core/run/errors.ts';
import type { SourceRequest } from '../kit/http/failure.ts';

/**
 * Returns the reason of a refusal: only the error code (`{"error":{"code"}}`, or RFC 9457 in the datasets), because
 * details may quote values.
 */
export function refusalOf(name: string, more = ''): NonNullable<SourceRequest['refusal']> {
  return (status, bytes) => {
    const advice = adviceByStatus[status];
    if (advice === undefined) return undefined;
    const said = /"code"\s*:\s*"([\w.-]{1,40})"/.exec(Buffer.from(bytes).toString('latin1'))?.[1];
    const word = said !== undefined && knownCodes.has(said) ? said : undefined;
    return {
      what: `${name} was answered ${status}${word === undefined ? '' : ` (${word})`}`,
      advice: `${advice}${more}`,
    };
  };
}

/** Codes that a message may name. Any other text may quote what was sent. */
const knownCodes: ReadonlySet<string> = new Set([
  'BadRequest',
  'BadPage',
  'DATASET_NOT_FOUND',
  'FIELD_NOT_FOUND',
  'INVALID_BODY',
  'INVALID_FILTER',
  'INVALID_PAGE_SIZE',
  'UE-1001',
]);

const adviceByStatus: Readonly<Record<number, string>> = {
  400: 'Check `fields` and `key`: one field that is unknown or not visible to the account can refuse the whole request.',
  404: 'Check `company`, and the permissions of the account: BambooHR hides data that it may not see.',
  413: 'BambooHR reports that the answer is too large: set a smaller pageSize, or request fewer fields.',
  422: 'Check `fields` and `key`: one field that is unknown or not visible to the account refuses the whole request.',
};

/** Returns the error for an answer without its list. Errors and login pages may arrive as success. */
export function noList(name: string, list: string): RollcallError {
  const message =
    `${name} was answered, but the answer holds no ${list}. Check \`company\` and \`baseUrl\`; such an answer is never ` +
    'treated as an empty one.';
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
}
