import { expect, it } from 'vitest';
import { listenFailure } from '../../src/core/run/addresses.ts';

const advice = { host: '10.0.0.1', port: 80, otherPort: 'set another port', otherHost: 'set another host' };

it.each([
  ['EADDRINUSE', 'is in use by another program: set another port'],
  ['EACCES', 'needs rights that this user does not have: set another port'],
  ['EADDRNOTAVAIL', 'is not an address of this machine: set another host'],
  ['ENOTFOUND', 'is not an address of this machine: set another host'],
])('%s says what to change', (code, reason) => {
  const cause = Object.assign(new Error('listen'), { code });
  expect(listenFailure(cause, advice)).toMatchObject({
    code: 'USAGE',
    message: `the server cannot listen: 10.0.0.1 port 80 ${reason}`,
    cause,
  });
});

it.each([
  ['another code', Object.assign(new Error('listen'), { code: 'EIO' })],
  ['a code that is no text', Object.assign(new Error('listen'), { code: 7 })],
  ['no code', new Error('listen')],
  ['no error', { code: 'EACCES' }],
])('%s is not about the address', (_, error) => {
  expect(listenFailure(error, advice)).toBeUndefined();
});
