import { expect, it } from 'vitest';
import { callOperation } from '../../../src/platform/client/calls.ts';
import { connectPlatform } from '../../../src/platform/client/connect.ts';
import { operations, pathParameters } from '../../../src/platform/table/index.ts';
import { closeAndFailOnLeaks } from '../closing.ts';
import { startLocalServer } from '../local-server.ts';
import { openTestClient, neverAborted as signal } from '../test-client.ts';

closeAndFailOnLeaks();

it('every operation goes out as the contract writes it', async () => {
  const server = await startLocalServer((_, response) => {
    response.writeHead(200);
    response.end();
  });
  const { client } = openTestClient(`${server.url}/below/`, { applicationToken: 'application-secret' });
  for (const operation of operations) {
    const { id, method, path, needsLanguage, request, auth } = operation;
    const params = Object.fromEntries(pathParameters(operation).map((name) => [name, 'a/b ñ']));

    const json = request === undefined ? {} : { json: { any: 'thing' } };
    await callOperation(client, id, { params, query: { q: 'a b&c', none: undefined }, ...json }, signal);

    const seen = server.seen.at(-1);
    const expectedPath = path.replace(/\{[^}]+\}/g, 'a%2Fb%20%C3%B1');
    expect(seen).toMatchObject({ method, url: `/below${expectedPath}?q=a+b%26c` });
    expect(seen?.headers['accept-language']).toBe(needsLanguage ? 'en' : undefined);
    expect(seen?.headers.accept).toBe('application/json');
    expect(seen?.headers.authorization).toBe(
      auth === 'application-token' ? 'Bearer application-secret' : 'Bearer secret-1',
    );
    expect(seen?.headers['content-type']).toBe(request === undefined ? undefined : 'application/json');
    expect(seen?.body).toBe(request === undefined ? '' : '{"any":"thing"}');
  }
});

it('the language of a call is its own, else that of the dialect, by name and by method', async () => {
  const server = await startLocalServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{}');
  });
  const platform = connectPlatform({ baseUrl: server.url, accessToken: 'secret', now: Date.now, insecure: true });
  const params = { code: 'G1', identification: 'E1' };
  await callOperation(platform.client, 'goal', { params, acceptLanguage: 'pt-BR, es;q=0.5' }, signal);
  const spanish = platform.inLanguage('es');
  await spanish.goals.page().catch(() => {});
  await spanish.roles.list().catch(() => {});
  await platform.goals.page().catch(() => {});
  await expect(platform.inLanguage('es\r\nx: 1').goals.page({})).rejects.toMatchObject({ effect: 'none' });
  await platform.close();
  const languages = server.seen.map(({ headers, url }) => `${url?.split('/v1/')[1]} ${headers['accept-language']}`);
  expect(new Set(languages)).toEqual(
    new Set(['goals/G1/users/E1 pt-BR, es;q=0.5', 'goals es', 'community/roles es', 'goals en']),
  );
});
