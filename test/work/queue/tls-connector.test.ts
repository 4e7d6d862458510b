import { createServer } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { closeRedis, openRedis } from '../../../src/drivers/redis/open-redis.ts';
import { makeCertificate } from '../../support/services/authority.ts';

it.each(['single', 'sentinel'] as const)(
  'a handshake that fails twice is heard twice: the second error ends no process (%s)',
  async (kind) => {
    const { cert, key } = await makeCertificate();
    const server = createServer({ cert, key });
    server.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : expect.fail('it listens on a port');
    const errors: unknown[] = [];
    const node = { host: '127.0.0.1', port };
    const where = kind === 'single' ? { kind, ...node } : { kind, sentinels: [node], master: 'watched' };
    const settings = { ...where, db: 0, prefix: 'rollcall', tls: {} };
    const client = openRedis(settings, 'producer', (error) => errors.push(error));
    onTestFinished(() => closeRedis(client));

    await expect(client.ping()).rejects.toThrow();

    const code = expect.stringMatching(/CERT|SELF_SIGNED|UNABLE/);
    expect(errors[0]).toMatchObject(kind === 'single' ? { code } : { lastNodeError: { code } });
    if (kind === 'single') expect('stream' in client && client.stream.listenerCount('error')).toBeGreaterThan(0);
  },
);
