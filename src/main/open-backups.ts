import type { Backups } from '../cli/cli-io.ts';
import type { Config } from '../config/config.ts';
import { sourceTokenName } from '../ports/tokens.ts';
import { readConfig } from './open-configured-app.ts';

/** Opens backups and restores of the store that a configuration names. */
export function openBackups(env: Readonly<Record<string, string | undefined>>): Backups {
  const open = async (configPath: string) => {
    const [config, store, { systemClock, newUlid }, { openSeals }, { readVersion }] = await Promise.all([
      readConfig(configPath, env),
      import('../store/index.ts'),
      import('./system.ts'),
      import('./open-seals.ts'),
      import('../drivers/http/version.ts'),
    ]);
    const { all: seals } = openSeals(config);
    const parts = { folder: config.folder, seals, version: readVersion(), now: () => systemClock.now() };
    return { config, store, parts, newId: newUlid };
  };
  return {
    async create(configPath, file) {
      const { config, store, parts } = await open(configPath);
      return store.backUpStore(config.store, file, parts);
    },
    async preview(configPath, file) {
      const { config, store, parts } = await open(configPath);
      return store.previewRestore(config.store, file, parts);
    },
    async restore(configPath, file, signed) {
      const { config, store, parts, newId } = await open(configPath);
      const syncs = Object.keys(config.syncs);
      const seeds = await configuredSeeds(config);
      return store.restoreStore(config.store, file, { ...parts, ...signed, id: newId('audit'), syncs, seeds });
    },
  };
}

/** Returns hashes of the first tokens in the configuration, by the names under which the store keeps their pairs. */
async function configuredSeeds(config: Config): Promise<ReadonlyMap<string, string>> {
  const { hashSeed } = await import('../platform/tokens/vault.ts');
  const seeds = new Map<string, string>();
  for (const { name, refreshToken } of Object.values(config.connections)) {
    if (refreshToken !== undefined) seeds.set(name, hashSeed(name, refreshToken.reveal()));
  }
  for (const { name, source } of Object.values(config.syncs)) {
    const row = sourceTokenName(name);
    source.open({
      folder: config.folder,
      scratchFolder: config.folder,
      openTokens: ({ refreshToken }) => {
        seeds.set(row, hashSeed(row, refreshToken));
        return noTokens;
      },
    });
  }
  return seeds;
}

const unused = async (): Promise<never> => {
  throw new Error('a source that is only asked for its token reads nothing');
};

const noTokens = { current: unused, renew: unused, accepted: () => {} };
