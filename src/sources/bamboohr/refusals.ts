import type { RollcallError } from '../../core/run/errors.ts';
import { knownWord, lacking } from '../kit/answer-failure.ts';
import type { SourceRequest } from '../kit/http/failure.ts';

/**
 * Returns the reason of a refusal: only the error code (`{"error":{"code"}}`, or RFC 9457 in the datasets), because
 * details may quote values.
 */
export function refusalOf(name: string, more = ''): NonNullable<SourceRequest['refusal']> {
  return (status, bytes) => {
    const advice = adviceByStatus[status];
    if (advice === undefined) return undefined;
    const word = knownWord(bytes, 'code', knownCodes);
    return {
      what: `${name} was answered ${status}${word === undefined ? '' : ` (${word})`}`,
      advice: `${advice}${more}`,
    };
  };
}

const knownCodes =
  'BadRequest BadPage DATASET_NOT_FOUND FIELD_NOT_FOUND INVALID_BODY INVALID_FILTER INVALID_PAGE_SIZE UE-1001';

const adviceByStatus: Readonly<Record<number, string>> = {
  400: 'Check `fields` and `key`: one field that is unknown or not visible to the account can refuse the whole request.',
  404: 'Check `company`, and the permissions of the account: BambooHR hides data that it may not see.',
  413: 'BambooHR reports that the answer is too large: set a smaller pageSize, or request fewer fields.',
  422: 'Check `fields` and `key`: one field that is unknown or not visible to the account refuses the whole request.',
};

/** Returns the error for an answer without its list. */
export function noList(name: string, list: string): RollcallError {
  return lacking(name, list, 'Check `company` and `baseUrl`.');
}
