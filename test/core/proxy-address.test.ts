import { expect, it } from 'vitest';
import { proxyProblem } from '../../src/core/run/addresses.ts';

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
