import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { SyncConfig } from '../../../src/config/config.ts';
import { createExpressions } from '../../../src/config/expressions.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { knownKinds } from '../../../src/sources/kinds.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export type Section = Readonly<Record<string, unknown>>;

/** A YAML block of a page in docs/sources. */
export interface PageBlock {
  /** The page and the number of the block on it, from 1: `rest.md 2`. */
  readonly name: string;
  readonly text: string;
}

/** Returns the YAML blocks of every page of a source, in order of page and place. */
export async function readPageBlocks(): Promise<readonly PageBlock[]> {
  const blocks: PageBlock[] = [];
  for (const path of globSync('docs/sources/*.md', { cwd: root }).sort()) {
    const page = await readFile(join(root, path), 'utf8');
    for (const [index, [, text = '']] of [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].entries()) {
      blocks.push({ name: `${basename(path)} ${index + 1}`, text });
    }
  }
  return blocks;
}

/** What a block is tried with: everything that a reader has, and the page cannot know. */
export interface Surroundings {
  /** The folder of the configuration. */
  readonly folder: string;
  /** Addresses and names of the page, and those of the test. */
  readonly instead?: Readonly<Record<string, string>>;
  /** The same for a block that is a part of another one. */
  readonly partInstead?: Readonly<Record<string, string>>;
  /** Keys of the source that the page leaves out because a reader does not need them. */
  readonly source?: Section;
  /** The values of `${env:…}`. */
  readonly env?: Readonly<Record<string, string>>;
  /** The text of `${file:…}`. */
  readonly files?: Readonly<Record<string, string>>;
  /** The mapping and lifecycle where the block has none. */
  readonly sync?: Section;
  /** The block that begins the page, where this one is a part of its `source`. */
  readonly base?: PageBlock;
}

const plainSync: Section = { mapping: { identification: 'id', firstName: 'first_name', lastName: 'last_name' } };

/** Loads a configuration with the block as it is on the page, by the real loader. Throws `ConfigError`. */
export async function loadBlock(block: PageBlock, given: Surroundings): Promise<SyncConfig> {
  const { instead = {}, partInstead = {}, env = {}, files = {}, folder, base } = given;
  const own = parseWith(block, base === undefined ? instead : partInstead);
  const page = base === undefined ? own : parseWith(base, instead);
  const { syncs, source: _source, mapping: _mapping, lifecycle: _lifecycle, ...parts } = own;
  if (base === undefined && Object.keys(parts).length > 0)
    throw new Error(`${block.name} has ${Object.keys(parts)}: of what?`);
  const sync = {
    connection: 'acme',
    policy: 'sync',
    ...plainSync,
    ...given.sync,
    ...pick(page, ['mapping', 'lifecycle']),
    ...((syncs as { people?: Section } | undefined)?.people ?? {}),
    source: { ...(page.source as Section | undefined), ...parts, ...given.source },
  };
  const config = {
    encryptionKey: Buffer.alloc(32, 7).toString('base64'),
    connections: { acme: { baseUrl: 'https://platform.example.com', accessToken: 'a-static-token' } },
    syncs: { people: sync },
  };
  const loaded = await loadConfig(join(folder, 'rollcall.yaml'), {
    env,
    sourceKinds: knownKinds,
    expressions: createExpressions(),
    readFile: async (path) => {
      if (path === join(folder, 'rollcall.yaml')) return JSON.stringify(config);
      const found = files[path.slice(folder.length + 1)];
      if (found === undefined) throw Object.assign(new Error(`no such file ${path}`), { code: 'ENOENT' });
      return found;
    },
  });
  const { people } = loaded.syncs;
  if (people === undefined) throw new Error('there is no sync');
  return people;
}

/** The sections of a block, after the texts that the test knows better. */
function parseWith({ name, text }: PageBlock, instead: Readonly<Record<string, string>>): Section {
  const replaced = Object.entries(instead).reduce((now, [from, to]) => {
    if (!now.includes(from)) throw new Error(`the block ${name} has no ${from} any more`);
    return now.replaceAll(from, to);
  }, text);
  return parse(replaced) as Section;
}

function pick(sections: Section, keys: readonly string[]): Section {
  return Object.fromEntries(keys.flatMap((key) => (sections[key] === undefined ? [] : [[key, sections[key]]])));
}
