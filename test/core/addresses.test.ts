import { describe, expect, it } from 'vitest';
import { addressFault, listenFailure, proxyProblem } from '../../src/core/run/addresses.ts';

describe('the address of a platform', () => {
  it.each([
    'https://platform.example.com',
    'https://platform.example.com/',
    'https://platform.example.com:8443/tenant',
    'https://platform.example.com/my-growth/os-apis',
    'http://localhost:8080',
    'http://127.0.0.1',
    'http://127.1.22.254:80',
    'http://[::1]:9000',
  ])('%s is usable', (address) => {
    expect(addressFault(address, false)).toBeUndefined();
  });

  it.each([
    ['platform.example.com', 'must be an address that begins with https://'],
    ['', 'must be an address'],
    ['ftp://platform.example.com', 'must be an address'],
    ['httpss://platform.example.com', 'must be an address'],
    ['xhttp://localhost', 'must be an address'],
    ['https://ana@platform.example.com', 'must not contain a user name or password'],
    ['https://:secret@platform.example.com', 'must not contain a user name or password'],
    ['https://platform.example.com?a=1', 'must not contain ? or #'],
    ['https://platform.example.com#part', 'must not contain ? or #'],
    ['https://platform.example.com/os-api', 'must not contain /os-api or /growth'],
    ['https://platform.example.com/growth/v2', 'must not contain /os-api or /growth'],
    ['http://platform.example.com', 'must begin with https://'],
    ['http://localhost.example.com', 'must begin with https://'],
    ['http://my-localhost', 'must begin with https://'],
    ['http://128.0.0.1', 'must begin with https://'],
    ['http://[::2]', 'must begin with https://'],
  ])('%s has a fault', (address, fault) => {
    expect(addressFault(address, false)).toContain(fault);
  });

  it('may begin with http:// for any host where that is said to be insecure', () => {
    expect(addressFault('http://platform.example.com', true)).toBeUndefined();
    expect(addressFault('ftp://platform.example.com', true)).toContain('must be an address');
  });
});

it.each([
  'none',
  'http://proxy.example.com:3128',
  'https://proxy.example.com',
  'http://ana:secret@proxy.example.com:3128/',
])('%s is the address of a proxy', (text) => {
  expect(proxyProblem(text)).toBeUndefined();
});

it.each([
  '',
  'None',
  'proxy.example.com:3128',
  'socks5://proxy.example.com',
  'httpx://proxy.example.com',
  'shttp://proxy.example.com',
  'http:',
  'http://ana:secret@proxy.example.com/path',
  'http://ana:secret@proxy.example.com/?a=1',
  'http://ana:secret@proxy.example.com/#part',
])('%s is no address of a proxy, and is not repeated', (text) => {
  expect(proxyProblem(text)).toMatch(/^must be the address of an HTTP proxy/);
  expect(proxyProblem(text)).not.toContain('secret');
});

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
