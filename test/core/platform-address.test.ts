import { describe, expect, it } from 'vitest';
import { addressFault } from '../../src/core/run/addresses.ts';

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
