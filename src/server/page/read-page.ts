import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** One file of the built page. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Present where it is much smaller. */
  readonly gzip?: Buffer;
}

/** The built page: its files by their path below the root of the server, such as `/assets/index-1a2b.js`. */
export interface BuiltPage {
  readonly document: PageFile;
  readonly files: ReadonlyMap<string, PageFile>;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.md': 'text/markdown; charset=utf-8',
};

/** Beside the compiled program, or in `dist` of the project when it runs from its sources. */
const folders = [join(import.meta.dirname, '../../../web'), join(import.meta.dirname, '../../../dist/web')];

/** Reads the built page into memory; it is small. Returns undefined when it was never built. */
export function readPage(): BuiltPage | undefined {
  const folder = folders.find((one) => existsSync(join(one, 'index.html')));
  if (folder === undefined) return undefined;
  const files = new Map<string, PageFile>();
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = types[extname(path)];
    if (type === undefined) continue;
    files.set(`/${path.replaceAll('\\', '/')}`, fileOf(type, readFileSync(join(folder, path))));
  }
  const document = files.get('/index.html');
  files.delete('/index.html');
  return document === undefined ? undefined : { document, files };
}

function fileOf(type: string, bytes: Buffer): PageFile {
  const gzip = gzipSync(bytes, { level: 9 });
  return gzip.length < bytes.length * 0.9 ? { type, bytes, gzip } : { type, bytes };
}
