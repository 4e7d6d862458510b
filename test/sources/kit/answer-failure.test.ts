import { describe, expect, it } from 'vitest';
import { openJudge } from '../../../src/sources/kit/answer-failure.ts';

const failuresIn = (answer: unknown) => {
  const judge = openJudge({ previous: undefined });
  judge.judge('GET /people', answer);
  const end = judge.judged({ complete: true, rows: 1, evidence: '', stamp: '' }, 'full');
  return end.complete ? [] : end.reasons.map((why) => /says (.*), so/.exec(why)?.[1]);
};

const data = [{ id: '1', status: 'error', code: 429 }];

describe('an answer that says of itself that it failed, with no accepted read to be compared with', () => {
  it.each<[object, string]>([
    [{ success: false }, '`success: false`'],
    [{ succeeded: 'False' }, '`succeeded: False`'],
    [{ ok: false }, '`ok: false`'],
    [{ error: { code: 'UPSTREAM_TIMEOUT' } }, '`error`'],
    [{ errors: [{ message: 'a resolver failed' }] }, '`errors`'],
    [{ error_message: 'Ana Díaz is locked' }, '`error_message`'],
    [{ hasErrors: true }, '`hasErrors`'],
    [{ status: 'error' }, '`status: error`'],
    [{ status: 'Failed' }, '`status: Failed`'],
    [{ statusCode: 500 }, '`statusCode: 500`'],
    [{ code: 429 }, '`code: 429`'],
    [{ code: '503' }, '`code: 503`'],
    [{ meta: { status: { code: 200 }, error: 'timeout' } }, '`error`'],
  ])('%j', (said, failure) => {
    expect(failuresIn({ ...said, data })).toEqual([failure]);
  });

  it.each<object>([
    { success: true, error: null, errors: [], error_message: '', hasError: false, fault: {} },
    { status: 'ok', code: 0, error: 0, errorCode: '0000' },
    { status: 200, code: '200', errorMessage: 'Success', exception: 'none' },
    { status: 'active', code: 1429, result: 'partial', message: 'error', total: 500 },
    { success: null, ok: '' },
    data,
  ])('not so: %j', (said) => {
    expect(failuresIn(Array.isArray(said) ? said : { ...said, data })).toEqual([]);
  });
});
