import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { FaultName } from '../../contracts/source-faults.ts';
import { spoiler } from '../../support/odd-values.ts';

export interface VendorRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface VendorReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

export interface VendorServer {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly VendorRequest[];
}

export interface VendorRules {
  answer(request: VendorRequest, number: number): VendorReply;
  /** Whether people are asked for; only such requests meet the faults. */
  isData(request: VendorRequest): boolean;
  readonly fault?: FaultName | undefined;
  /** The data request that meets a fault which passes. */
  readonly strikeAt?: number;
}

/** An HTTP server that keeps a vendor's rules, and plays the faults that any HTTP server may have. Closed after the test. */
export async function startVendor({ answer, isData, fault, strikeAt = 2 }: VendorRules): Promise<VendorServer> {
  const requests: VendorRequest[] = [];
  let asked = 0;
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request: VendorRequest = {
      method: incoming.method ?? '',
      url: new URL(incoming.url ?? '/', `http://${incoming.headers.host}`),
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    requests.push(request);
    const isPeople = isData(request);
    if (isPeople) asked += 1;
    const reply = answer(request, asked);
    if (!isPeople || !strike(fault, asked - strikeAt, reply, response)) give(reply, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  // The system gives a port to a later server again.
  if (typeof address === 'object' && address !== null) rewrites.delete(address.port);
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, requests };
}

function give({ status, headers, body }: VendorReply, response: ServerResponse): void {
  const shown = rewrites.get(response.socket?.localPort ?? 0)?.(body) ?? body;
  response.writeHead(status, { 'content-length': Buffer.byteLength(shown), ...headers });
  response.end(shown);
}

/** What becomes of the bodies that a server answers, by its port. */
const rewrites = new Map<number, (body: string) => string>();

/** Takes the right to these fields away: from now on no answer of the server has a key or element of such a name. */
export function withdraw(port: number, names: readonly string[]): void {
  rewrites.set(port, (body) => withoutFields(body, names));
}

/** From now on the server shows the records of some people damaged: see `spoiler`. */
export function spoil(port: number, ...[owners, numbers]: Parameters<typeof spoiler>): { readonly most: number } {
  const { counts, rewrite } = spoiler(owners, numbers);
  rewrites.set(port, rewrite);
  return counts;
}

function withoutFields(body: string, names: readonly string[]): string {
  if (names.length === 0 || body === '') return body;
  if (body.trimStart().startsWith('<')) {
    return names.reduce(
      (xml, name) => xml.replaceAll(new RegExp(`<((?:\\w+:)?${name})(?:\\s[^>]*)?(?:/>|>[\\s\\S]*?</\\1>)`, 'g'), ''),
      body,
    );
  }
  const isHidden = (key: string): boolean => names.includes(key);
  return JSON.stringify(JSON.parse(body, (_key, value) => leaveOut(value, isHidden)));
}

function leaveOut(value: unknown, isHidden: (key: string) => boolean): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !isHidden(key)));
}

/** Whether the fault was played instead of the reply. `since`: requests after the one that meets it. */
function strike(fault: FaultName | undefined, since: number, reply: VendorReply, response: ServerResponse): boolean {
  const isNow = since === 0;
  const isFromNowOn = since >= 0;
  const bytes = Buffer.from(reply.body);
  const once = (status: number, headers: Readonly<Record<string, string>> = {}): boolean => {
    if (isNow) give({ status, headers, body: '' }, response);
    return isNow;
  };
  const always = (other: VendorReply): boolean => {
    if (isFromNowOn) give(other, response);
    return isFromNowOn;
  };
  switch (fault) {
    case 'cut body':
    case 'cut for good':
      if (fault === 'cut body' ? !isNow : !isFromNowOn) return false;
      response.writeHead(reply.status, { ...reply.headers, 'content-length': bytes.length });
      response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
      return true;
    case 'server error':
      return once(502);
    case 'web page':
      return always({
        status: 200,
        headers: { 'content-type': 'text/html' },
        body: '<html><p>Please log in</p></html>',
      });
    case 'busy, seconds':
      return once(429, { 'retry-after': '2' });
    case 'busy, date':
      return once(429, { 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' });
    case 'busy, no word':
      return once(429);
    case 'busy, 503':
      return once(503, { 'retry-after': '1' });
    case 'no right':
      return always({ status: 403, body: '' });
    default:
      return false;
  }
}
