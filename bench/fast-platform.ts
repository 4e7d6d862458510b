import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse } from 'csv-parse/sync';
import { defaultQuirks } from '../src/sandbox/index.ts';
import type { Account } from '../src/sandbox/people/account.ts';
import { showFoundUser, showUser } from '../src/sandbox/people/show-user.ts';
import { benchPeople } from './people.ts';

const someInstant = Date.UTC(2026, 10, 1, 12);

/**
 * A platform that can be searched and takes files of creates and updates at once, for next to nothing: each user's JSON
 * is made when they change, not when they are looked for. Run as a child process with the number of people who have an
 * account; sends its address.
 */
function servePlatform(people: number): void {
  const accounts = new Map<string, Account>();
  const texts: string[] = [];
  const show = (account: Account): void => {
    texts[account.id - 1] = JSON.stringify(showFoundUser(account, defaultQuirks));
  };
  for (const { number, identification, fields } of benchPeople(people)) {
    const at = { createdAt: someInstant, lastUpdateAt: someInstant };
    const account: Account = { id: number, uid: `u-${number}`, identification, enabled: true, fields, ...at };
    accounts.set(identification, account);
    show(account);
  }

  let files = 0;
  const search = (query: URLSearchParams): string => {
    const [page, size] = [Number(query.get('page')), Number(query.get('size'))];
    const rows = texts.slice(page * size, (page + 1) * size);
    return `{"result":[${rows.join()}],"page":{"totalElements":${texts.length}}}`;
  };
  const take = async (request: IncomingMessage): Promise<string> => {
    const form = await new Response(await bodyOf(request), {
      headers: { 'content-type': request.headers['content-type'] ?? '' },
    }).formData();
    const file = form.get('file');
    const csv = file instanceof File ? await file.text() : (file ?? '');
    const now = Date.now();
    for (const row of parse(csv, { columns: true, bom: true }) as Record<string, string>[]) {
      const { identification = '', command, ...fields } = row;
      const known = accounts.get(identification);
      if (command !== (known === undefined ? 'I' : 'U'))
        throw new RangeError('this platform takes creates and updates');
      const id = texts.length + 1;
      const account: Account =
        known === undefined
          ? { id, uid: `u-${id}`, identification, enabled: true, fields, createdAt: now, lastUpdateAt: now }
          : { ...known, fields: { ...known.fields, ...fields }, lastUpdateAt: now };
      accounts.set(identification, account);
      show(account);
    }
    files += 1;
    return fileRecord(files);
  };

  const answer = async (request: IncomingMessage): Promise<string> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (request.method === 'POST') return take(request);
    const [, identification] = /\/users\/([^/]+)$/.exec(pathname) ?? [];
    if (identification !== undefined) {
      const account = accounts.get(decodeURIComponent(identification));
      return JSON.stringify({ result: account === undefined ? undefined : showUser(account, defaultQuirks) });
    }
    if (pathname.includes('/userFiles/')) return fileRecord(Number(pathname.split('/').at(-1)));
    return search(searchParams);
  };
  const server = createServer((request, response) => {
    answer(request).then(
      (text) => send(response, 200, text),
      (error: unknown) => send(response, 500, JSON.stringify({ message: String(error) })),
    );
  });
  server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  process.once('disconnect', () => {
    server.closeAllConnections();
    server.close();
  });
}

function fileRecord(id: number): string {
  return JSON.stringify({ result: { id, fileName: 'file.csv', fileStatus: defaultQuirks.doneStatus, blocked: false } });
}

async function bodyOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

servePlatform(Number(process.argv[2]));
