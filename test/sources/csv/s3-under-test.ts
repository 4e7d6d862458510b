import { request as forward, type IncomingMessage } from 'node:http';
import { expect } from 'vitest';
import { openSource } from '../../../src/sources/registry.ts';
import type { SourceCase } from '../../contracts/source.ts';
import { noFile } from '../../contracts/source-faults.ts';
import { openFileDoor, openOtherHost, type Reply } from '../../fakes/hris/file-door.ts';
import { hasValidSignature } from '../../support/services/aws-signature.ts';
import { startS3 } from '../../support/services/s3.ts';
import { filesOpenIn, socketsTo } from '../../support/sockets-to.ts';
import { sourceBase } from '../../support/source-base.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { impossibleForFiles, onDisk, peopleFile } from './people-file.ts';

/** An object with a trailer on an S3-compatible server, behind a door that checks signatures. */
export const csvS3: SourceCase = {
  name: 'csv (s3)',
  async prepare(fault, crowd) {
    const [s3, scratchFolder] = [await startS3(), await temporaryFolder()];
    const { identifications, text } = peopleFile(fault === 'cut for good' ? undefined : fault, crowd);
    await s3.put('daily/employees.csv', text);
    const other = fault === 'other host' ? await openOtherHost() : undefined;
    const door = await openFileDoor(
      async (request) => {
        if (other !== undefined) {
          const location = `http://127.0.0.1:${other.port}/`;
          return { status: 307, headers: { location }, body: Buffer.alloc(0) };
        }
        const { method = '', url = '', headers } = request;
        if (!hasValidSignature({ method, url, headers }, s3.secretAccessKey)) return wrongSignature;
        const reply = await passOn(request, s3.port);
        if (fault === 'still written' && request.method === 'GET') await s3.put('daily/employees.csv', `${text}T,0,\n`);
        return reply;
      },
      fault === 'no right' ? undefined : fault,
    );
    const config = {
      endpoint: `http://127.0.0.1:${door.port}`,
      region: 'us-east-1',
      bucket: s3.bucket,
      key: 'daily/employees.csv',
      accessKeyId: s3.accessKeyId,
      secretAccessKey: fault === 'no right' ? 'a wrong one' : s3.secretAccessKey,
    };
    return {
      source: openSource({ kind: 'csv', s3: config, complete: 'trailer' }, sourceBase(scratchFolder)),
      field: 'id',
      identifications,
      openResources: () => filesOpenIn(scratchFolder) + socketsTo(door.port),
      verify() {
        if (other !== undefined) expect(other.asked).toEqual([]);
      },
    };
  },
  ahead: { kind: 'unseen', why: onDisk },
  impossible: {
    ...impossibleForFiles,
    'a pipe': noFile,
    'token ends': 'each request is signed with the keys; there is no token',
  },
};

const wrongSignature: Reply = {
  status: 403,
  headers: { 'content-type': 'application/xml' },
  body: Buffer.from('<?xml version="1.0"?><Error><Code>SignatureDoesNotMatch</Code></Error>'),
};

/** Asks the server itself, by the host name that was signed. */
function passOn({ method, url, headers }: IncomingMessage, port: number): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asking = forward({ host: '127.0.0.1', port, method, path: url, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const { connection, 'transfer-encoding': _, ...kept } = answer.headers;
        const named = Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, String(value)]));
        resolve({ status: answer.statusCode ?? 500, headers: named, body: Buffer.concat(chunks) });
      });
    });
    asking.on('error', reject);
    asking.end();
  });
}
