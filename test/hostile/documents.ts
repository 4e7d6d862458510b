import { createServer } from 'node:http';
import { readSource } from './files.ts';
import type { Tally } from './tally.ts';

const deep = 1_000_000;
const row = '{"id":"1","name":"Ana"}';

/** JSON and XML documents that no HR system sends, by the path at which the server gives them. */
const documents: Readonly<Record<string, () => string>> = {
  '/deep-array': () => `{"data":[${'['.repeat(deep)}${']'.repeat(deep)}]}`,
  '/deep-object': () => `{"data":[{"id":"1","a":${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}}]}`,
  '/deep-before-data': () => `{"x":${'['.repeat(deep)}${']'.repeat(deep)},"data":[${row}]}`,
  '/deep-after-long-number': () => `{"n":9007199254740993,"data":[${row}],"x":${'['.repeat(deep)}${']'.repeat(deep)}}`,
  '/depth-5000': () => `{"data":[{"id":"1","a":${'['.repeat(5_000)}${']'.repeat(5_000)}}]}`,
  '/deep-and-cut': () => `{"data":[${'['.repeat(deep)}`,
  '/wide': () => `{"data":[{"id":"1",${Array.from({ length: 200_000 }, (_, at) => `"k${at}":1`).join(',')}}]}`,
  '/proto': () => '{"data":[{"id":"1","__proto__":{"a":1},"constructor":{"prototype":{}}}]}',
  '/not-objects': () => '{"data":[1,null,"a",[]]}',
  '/long-text': () => `{"data":[{"id":"1","name":"${'a'.repeat(20_000_000)}"}]}`,
  '/number': () => `{"data":[{"id":${'9'.repeat(1_000_000)}}]}`,
  '/half-a-surrogate': () => '{"data":[{"id":"1","name":"\\ud800"}]}',
};

/** Reads each document as one whole answer, and as a stream of one array. */
export async function readDocuments(tally: Tally): Promise<void> {
  // Made before the read, so that it does not count as the reader's work.
  let body = Buffer.alloc(0);
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const baseUrl = `http://127.0.0.1:${address.port}`;
  const limits = { requestsPerSecond: 1000 };
  for (const [path, make] of Object.entries(documents)) {
    const text = make();
    body = Buffer.from(text);
    tally.begin();
    const places = { baseUrl, path, items: 'data', key: 'id' };
    const rest = { kind: 'rest', ...places, paging: { style: 'none' }, auth: { kind: 'none' }, limits };
    tally.add(`rest ${path}`, await readSource(rest, '/'));
    body = Buffer.from(text.replace('"data"', '"Report_Entry"'));
    tally.begin();
    const report = { kind: 'workday', api: 'raas', url: `${baseUrl}/report${path}`, key: 'id', columns: ['id'] };
    tally.add(`workday ${path}`, await readSource({ ...report, auth: { kind: 'none' }, limits }, '/'));
  }
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
