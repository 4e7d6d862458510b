import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { benchFolder, type PageOffsets, pageSize } from './folder.ts';

/**
 * A platform that can only be searched, and costs next to nothing: it serves answers that were made beforehand by the
 * sandbox's own code. The sandbox itself makes each answer anew, which takes it longer than the client needs to read
 * it: the measurement would be of the sandbox. Run as a child process with the folder as argument; sends its address.
 */
function servePages(folder: string): void {
  const { pages, offsets } = benchFolder(folder);
  const { total, starts } = JSON.parse(readFileSync(offsets, 'utf8')) as PageOffsets;
  const file = openSync(pages, 'r');
  const body = (page: number): Buffer => {
    const from = starts[page];
    const to = starts[page + 1];
    if (from === undefined || to === undefined) return Buffer.from(emptyPage(total));
    const bytes = Buffer.allocUnsafe(to - from);
    readSync(file, bytes, 0, bytes.length, from);
    return bytes;
  };
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://localhost').searchParams;
    const isCount = query.get('enabled') === 'true';
    if (!isCount && query.get('size') !== String(pageSize)) throw new RangeError('pages were made for another size');
    const bytes = isCount ? Buffer.from(emptyPage(total)) : body(Number(query.get('page')));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
    response.end(bytes);
  });
  server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  process.once('disconnect', () => {
    server.closeAllConnections();
    server.close();
    closeSync(file);
  });
}

function emptyPage(total: number): string {
  return JSON.stringify({ result: [], page: { totalElements: total } });
}

servePages(process.argv[2] ?? '');
