import { expect, it } from 'vitest';
import { fixedAuthority, withSessionCookies } from '../../../src/sources/kit/http/authority.ts';
import { fixedClock } from '../../support/fake-clock.ts';

const { signal } = new AbortController();
const asked = { method: 'GET', url: 'https://hr.example.com/people' };

it('cookies that a server set go along with what follows, beside the credential, until they are taken back', async () => {
  const clock = fixedClock();
  const authority = withSessionCookies(fixedAuthority({ authorization: 'Bearer x' }));
  const set = async (...cookies: readonly string[]): Promise<unknown> => {
    const credential = await authority.credential(clock, signal, asked);
    authority.accepted?.({ header: () => undefined, headerAll: () => cookies }, credential, clock);
    return (await authority.credential(clock, signal, asked)).headers;
  };

  expect(await set()).toEqual({ authorization: 'Bearer x' });
  expect(await set('JSESSIONID=a=b==; Path=/; HttpOnly', 'route=7;Secure')).toEqual({
    authorization: 'Bearer x',
    cookie: 'JSESSIONID=a=b==; route=7',
  });
  expect(await set('route=8')).toMatchObject({ cookie: 'JSESSIONID=a=b==; route=8' });
  expect(await set('route=; Max-Age=0', 'nonsense', '=x')).toMatchObject({ cookie: 'JSESSIONID=a=b==' });
});
