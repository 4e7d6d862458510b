import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type CustodyDocument,
  connectPlatform,
  openFileCustody,
  type PlatformConnection,
  type TokenCustody,
} from '../../../src/platform/index.ts';
import { type RunningSandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { closeAndFailOnLeaks, closeLater } from '../closing.ts';

closeAndFailOnLeaks();

const day = Date.UTC(2026, 4, 20, 12);
const encryptionKey = randomBytes(32).toString('base64');

/** The smallest custody that keeps its promises, for one process. */
function memoryCustody(): TokenCustody & { readonly writes: readonly CustodyDocument[]; isOpen: boolean } {
  const writes: CustodyDocument[] = [];
  return {
    writes,
    isOpen: true,
    read: async () => writes.at(-1),
    async replace(seen, next) {
      if (writes.at(-1)?.version !== seen) return false;
      writes.push(next);
      return true;
    },
    async close() {
      this.isOpen = false;
    },
  };
}

interface World {
  readonly sandbox: RunningSandbox;
  /** Opens a program of its own on the same custody. */
  open(custody: TokenCustody, more?: { refreshToken?: string; encryptionKey?: string }): PlatformConnection;
  advance(ms: number): void;
}

async function openWorld(options: Partial<SandboxOptions> = {}): Promise<World> {
  let now = day;
  const sandbox = await startSandbox({ users: 3, now: () => now, ...options });
  closeLater(() => sandbox.close());
  const { url: baseUrl, applicationToken, refreshToken } = sandbox;
  return {
    sandbox,
    open(custody, more = {}) {
      const platform = connectPlatform({
        baseUrl,
        applicationToken,
        tokens: { refreshToken, encryptionKey, custody, ...more },
        now: () => now,
        limits: { requestsPerSecond: 1000 },
      });
      closeLater(() => platform.close());
      return platform;
    },
    advance: (ms) => {
      now += ms;
    },
  };
}

const hourMs = 3_600_000;

const custodies: Readonly<Record<string, (folder: string) => () => TokenCustody>> = {
  'a file': (folder) => () => openFileCustody({ path: join(folder, 'tokens', 'acme.json') }),
  'own functions': () => {
    const shared = memoryCustody();
    return () => ({ ...shared, close: async () => {} });
  },
};

describe.each(Object.entries(custodies))('tokens kept in %s', (_name, at) => {
  it('are refreshed before they expire, and go on in the next program', async () => {
    const { sandbox, open, advance } = await openWorld({ accessTokenLifeMs: hourMs });
    const custody = at(await temporaryFolder());

    const first = open(custody());
    await first.users.get('E000001');
    advance(2 * hourMs);
    await first.users.get('E000001');
    await first.close();
    advance(2 * hourMs);
    const second = open(custody());
    await second.users.get('E000002');

    expect(sandbox.state.refreshes).toEqual(
      [1, 2, 3].map((token) => expect.objectContaining({ token, times: 1, outcome: 'granted' })),
    );
    expect(await second.tokens.status()).toMatchObject({ state: 'ready' });
  });

  it('are refreshed once, however many programs need them at the same time', async () => {
    const { sandbox, open, advance } = await openWorld({ accessTokenLifeMs: hourMs });
    const custody = at(await temporaryFolder());
    const programs = Array.from({ length: 4 }, () => open(custody()));

    for (let round = 0; round < 3; round++) {
      await Promise.all(programs.flatMap(({ users }) => [users.get('E000001'), users.get('E000002')]));
      advance(2 * hourMs);
    }

    expect(sandbox.state.refreshes.map(({ token, times, outcome }) => ({ token, times, outcome }))).toEqual(
      [1, 2, 3].map((token) => ({ token, times: 1, outcome: 'granted' })),
    );
  });

  it('compare and set: of many writers of one version, one wins', async () => {
    const custody = at(await temporaryFolder());
    const writers = Array.from({ length: 8 }, custody);

    for (let version = 1; version <= 5; version++) {
      const seen = version === 1 ? undefined : version - 1;
      const won = await Promise.all(writers.map((one, i) => one.replace(seen, { version, text: `text of ${i}` })));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await writers[0]?.read()).toEqual({ version, text: `text of ${won.indexOf(true)}` });
      expect(await writers[0]?.replace(seen, { version, text: 'late' })).toBe(false);
    }
    for (const writer of writers) await writer.close();
  });
});

describe('the custody', () => {
  it('has the successor before it is used, sealed, and never in the clear', async () => {
    const { sandbox, open } = await openWorld();
    const custody = memoryCustody();
    const platform = open(custody);

    await platform.users.get('E000001');

    const texts = custody.writes.map(({ text }) => text).join('');
    expect(custody.writes.map(({ version }) => version)).toEqual(custody.writes.map((_, i) => i + 1));
    for (const secret of [sandbox.refreshToken, sandbox.accessToken, sandbox.applicationToken]) {
      expect(texts).not.toContain(secret);
    }
    expect(JSON.parse(custody.writes.at(-1)?.text ?? '')).toMatchObject({ format: 1, tokens: { state: 'ready' } });
    await platform.close();
    expect(custody.isOpen).toBe(false);
  });

  it('that refuses the successor keeps it from being used, and gets it later', async () => {
    const { sandbox, open } = await openWorld();
    const custody = memoryCustody();
    let isFull = false;
    const full: TokenCustody = {
      ...custody,
      async replace(seen, next) {
        if (isFull && sandbox.state.refreshes.length > 0)
          throw Object.assign(new Error('secret path'), { code: 'ENOSPC' });
        return custody.replace(seen, next);
      },
    };
    const platform = open(full);
    isFull = true;

    const refusal = platform.users.get('E000001');

    await expect(refusal).rejects.toMatchObject({ name: 'PlatformError', code: 'TOKEN_UNAVAILABLE', effect: 'none' });
    await expect(refusal).rejects.not.toThrow(/secret path/);
    expect(sandbox.state.requests.read).toBe(0);
    isFull = false;
    await platform.users.get('E000001');
    expect(sandbox.state.refreshes).toHaveLength(1);
  });

  it('that cannot be read is an error of ours, and nothing is sent', async () => {
    const { sandbox, open } = await openWorld();
    const broken = { ...memoryCustody(), read: () => Promise.reject(new Error('secret path')) };

    const refusal = open(broken).users.get('E000001');

    await expect(refusal).rejects.toMatchObject({ name: 'PlatformError', code: 'STORE_INVALID', effect: 'none' });
    await expect(refusal).rejects.not.toThrow(/secret path/);
    expect(sandbox.state.refreshes).toEqual([]);
  });

  it.each(['', '{', '{"format":2}', '{"format":1,"fence":0,"tokens":{}}'])(
    'with the text %j is refused',
    async (text) => {
      const { open } = await openWorld();
      const custody = memoryCustody();
      await custody.replace(undefined, { version: 1, text });

      await expect(open(custody).users.get('E000001')).rejects.toMatchObject({ code: 'STORE_INVALID' });
    },
  );

  it('sealed with another key says so, and a new first token replaces it', async () => {
    const { sandbox, open } = await openWorld();
    const custody = memoryCustody();
    await open(custody).users.get('E000001');
    const otherKey = randomBytes(32).toString('base64');

    const refusal = open(custody, { encryptionKey: otherKey }).users.get('E000001');

    await expect(refusal).rejects.toMatchObject({ name: 'PlatformError', code: 'TOKEN_UNAVAILABLE', effect: 'none' });
    await expect(refusal).rejects.toThrow(/encryptionKey.*tokens\.refreshToken/);
    await expect(refusal).rejects.not.toThrow(/rollcall/);
    const { refreshToken } = sandbox.authorize();
    const again = open(custody, { encryptionKey: otherKey, refreshToken });
    expect(await again.users.get('E000001')).toMatchObject({ identification: 'E000001' });
  });

  it('tells that the platform refuses the refresh token, and how a program goes on', async () => {
    const { sandbox, open } = await openWorld();
    const custody = memoryCustody();

    const refusal = open(custody, { refreshToken: 'unknown' }).users.get('E000001');

    await expect(refusal).rejects.toMatchObject({ code: 'REAUTH_REQUIRED', effect: 'none' });
    await expect(refusal).rejects.toThrow(/tokens\.refreshToken.*the next call presents it/);
    const { refreshToken } = sandbox.authorize();
    const platform = open(custody, { refreshToken });
    expect(await platform.users.get('E000001')).toMatchObject({ identification: 'E000001' });
    expect(await platform.tokens.refresh()).toMatchObject({ state: 'ready' });
    expect(await platform.tokens.revoke()).toMatchObject({ state: 'revoked' });
    await expect(platform.users.get('E000001')).rejects.toMatchObject({ code: 'TOKEN_REVOKED' });
  });
});

describe('the file', () => {
  it('is one, for its owner only, and what a dead writer left goes with the next version', async () => {
    const folder = join(await temporaryFolder(), 'new');
    const custody = openFileCustody({ path: join(folder, 'tokens.json') });
    await custody.replace(undefined, { version: 1, text: 'one' });
    await writeFile(join(folder, 'tokens.json.new-dead'), 'half');
    await writeFile(join(folder, 'tokens.json.bak'), 'somebody else’s');

    expect(await custody.read()).toEqual({ version: 1, text: 'one' });
    expect(await custody.replace(1, { version: 2, text: 'two' })).toBe(true);

    expect((await readdir(folder)).toSorted()).toEqual(['tokens.json.2', 'tokens.json.bak']);
    expect(await readFile(join(folder, 'tokens.json.2'), 'utf8')).toBe('two');
    expect((await stat(join(folder, 'tokens.json.2'))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it('of a version that others have passed is taken back', async () => {
    const path = join(await temporaryFolder(), 'tokens.json');
    const custody = openFileCustody({ path });
    await custody.replace(undefined, { version: 1, text: 'one' });
    await custody.replace(1, { version: 2, text: 'two' });
    await custody.replace(2, { version: 3, text: 'three' });

    // As a writer that read version 1 and was suspended until now would do.
    expect(await custody.replace(3, { version: 2, text: 'late' })).toBe(false);

    expect(await custody.read()).toEqual({ version: 3, text: 'three' });
  });
});

it.each([
  [{ baseUrl: 'platform.example.com' }, /baseUrl must be an address/],
  [{ baseUrl: 'http://platform.example.com' }, /baseUrl must begin with https/],
  [{ baseUrl: 'https://platform.example.com/os-api' }, /os-api/],
  [{ tokens: { custody: memoryCustody(), encryptionKey } }, /applicationToken is required/],
  [
    { tokens: { custody: memoryCustody(), encryptionKey: 'short' }, applicationToken: 'a' },
    /encryptionKey must be 32 bytes/,
  ],
])('connectPlatform refuses %j', (options, message) => {
  const all = { baseUrl: 'https://platform.example.com', accessToken: 'a', now: () => day, ...options };
  const connect = (): PlatformConnection => connectPlatform(all);

  expect(connect).toThrow(message);
  expect(connect).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
});
