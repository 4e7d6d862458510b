import { createServer } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { closeRedis, openRedis } from '../../../src/runtime/bullmq/open-redis.ts';
import { makeCertificate } from '../../support/services/authority.ts';

it('a handshake that fails twice is heard twice: the second error ends no process', async () => {
  const { cert, key } = await makeCertificate();
  const server = createServer({ cert, key });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : expect.fail('it listens on a port');
  const errors: unknown[] = [];
  const settings = { kind: 'single', host: '127.0.0.1', port, db: 0, prefix: 'rollcall', tls: {} } as const;
  const client = openRedis(settings, 'producer', (error) => errors.push(error));
  onTestFinished(() => closeRedis(client));

  await expect(client.ping()).rejects.toThrow();

  expect(errors).toMatchObject([{ code: expect.stringMatching(/CERT|SELF_SIGNED|UNABLE/) }]);
  expect('stream' in client && client.stream.listenerCount('error')).toBeGreaterThan(0);
});
