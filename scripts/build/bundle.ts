import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

/** The repository. */
export const root = join(import.meta.dirname, '../..');

/**
 * Packages of many small files, and what the bundler adds. Those with native parts, scripts or instances that others
 * compare stay outside.
 */
const bundled = new Set(['@oxc-project', 'commander', 'kysely', 'ky', 'undici', 'yaml', 'zod']);

export interface Bundle {
  /** Sources of the programs, from the repository, by the name of the file without its ending. */
  readonly programs: Readonly<Record<string, string>>;
  readonly folder: string;
  /**
   * Where the code looks for its data, threads and package.json: beside its own source, or beside the place that its
   * source has in `folder`.
   */
  readonly data: 'in source' | 'in folder';
  readonly hasSourceMaps?: boolean;
}

/**
 * Writes programs in as few files as possible: half of each short process is loading 1,200 modules. What a program
 * imports with `import()` is a file of its own, loaded when it is used.
 */
export async function bundle({ programs, folder, data, hasSourceMaps = false }: Bundle): Promise<void> {
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(Object.entries(programs).map(([name, source]) => [name, join(root, source)])),
    platform: 'node',
    plugins: [data === 'in source' ? besideSource : besideOutput, undiciParts, plainBuiltins],
    external: (id) => /^[^./]/.test(id) && !bundled.has(id.split('/')[0] ?? ''),
    logLevel: 'silent',
  });
  await build.write({
    dir: folder,
    format: 'esm',
    sourcemap: hasSourceMaps,
    // The sources are in the repository; names and lines are enough to read a stack.
    sourcemapExcludeSources: true,
    chunkFileNames: data === 'in source' ? '[name]-[hash].js' : 'parts/[name]-[hash].js',
    codeSplitting: { groups: [...groups] },
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  await build.close();
}

/** What each command loads, and what each command with a configuration loads besides: two files in place of a hundred. */
const groups = [
  { name: 'start', test: /src\/main\/process\.ts$/, priority: 2 },
  {
    name: 'open',
    test: /src\/(config\/(load-config|expressions)|sources\/(kinds|csv\/index)|main\/(engine|app)|store\/index|cli\/commands\/deployment)\.ts$/,
    priority: 1,
  },
];

/**
 * What Rollcall uses of undici. The rest, with fetch, web sockets, caches, mocks and HTTP/2, takes as long to load as all else
 * that a small run loads, and brings Node's own undici with it.
 */
const undiciParts: Plugin = {
  name: 'undici-parts',
  load: {
    filter: { id: /node_modules\/undici\/(index|lib\/dispatcher\/client-h2)\.js$/ },
    handler: (id) => (id.endsWith('index.js') ? usedOfUndici : 'module.exports = undefined;'),
  },
};

const usedOfUndici = `
import api from './lib/api/index.js';
import Dispatcher from './lib/dispatcher/dispatcher.js';
Object.assign(Dispatcher.prototype, api);
export { default as Agent } from './lib/dispatcher/agent.js';
export { default as Client } from './lib/dispatcher/client.js';
export { default as Pool } from './lib/dispatcher/pool.js';
export { default as ProxyAgent } from './lib/dispatcher/proxy-agent.js';
export function request(url, { dispatcher, ...options }) {
  const { origin, pathname, search } = new URL(url);
  return dispatcher.request({ ...options, origin, path: pathname + search });
}
`;

/** An import of a module of Node.js reads each of its exports, also those that load other modules. */
const plainBuiltins: Plugin = {
  name: 'plain-builtins',
  renderChunk: (code) =>
    code.replaceAll(
      /^import (?:([\w$]+)(?:, | ))?(?:\{(.*)\} )?from "(node:[\w/]+)";$/gm,
      (_, whole: string | undefined, names: string | undefined, id: string) =>
        [
          ...(whole === undefined ? [] : [`const ${whole} = process.getBuiltinModule("${id}");`]),
          ...(names === undefined
            ? []
            : [`const {${names.replaceAll(' as ', ': ')}} = process.getBuiltinModule("${id}");`]),
        ].join(' '),
    ),
};

type Place = 'url' | 'dirname' | 'filename';

/** Replaces what a module knows of its own place. */
function placing(name: string, code: (id: string, place: Place) => string): Plugin {
  return {
    name,
    transform: {
      filter: { code: /import\.meta\./ },
      handler: (text, id) =>
        id.includes('/node_modules/')
          ? null
          : text.replaceAll(/import\.meta\.(url|dirname|filename)/g, (_, place: Place) => code(id, place)),
    },
  };
}

const besideSource = placing('beside-source', (id, place) =>
  JSON.stringify({ url: pathToFileURL(id).href, dirname: dirname(id), filename: id }[place]),
);

/** Stands for the way from a file of the output to its root until the file is known. */
const toFolder = 'rollcall-folder:/';

const besideOutput: Plugin = {
  ...placing('beside-output', (id, place) => {
    const own = relative(root, id).replace(/\.ts$/, '.js');
    if (place === 'url') return `new URL('${toFolder}${own}', import.meta.url).href`;
    const path = place === 'dirname' ? dirname(own) : own;
    return `(import.meta.dirname + '/${toFolder}${path}')`;
  }),
  renderChunk: (code, { fileName }) => {
    if (!code.includes(toFolder)) return null;
    const way = relative(dirname(fileName), '.');
    return code.replaceAll(toFolder, way === '' ? './' : `${way}/`);
  },
};
