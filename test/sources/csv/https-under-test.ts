import { expect } from 'vitest';
import { openSource } from '../../../src/sources/registry.ts';
import type { SourceCase } from '../../contracts/source.ts';
import { noFile } from '../../contracts/source-faults.ts';
import { openFileDoor, openOtherHost } from '../../fakes/hris/file-door.ts';
import { once } from '../../support/once.ts';
import { makeCertificate } from '../../support/services/authority.ts';
import { filesOpenIn, socketsTo } from '../../support/sockets-to.ts';
import { sourceBase } from '../../support/source-base.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { impossibleForFiles, onDisk, peopleFile } from './people-file.ts';

/** Made once: openssl takes longer than a read. */
const certified = once(makeCertificate);

/** A file with a trailer on a TLS server with a certificate of a private authority. */
export const csvHttps: SourceCase = {
  name: 'csv (https)',
  async prepare(fault, crowd) {
    const [certificate, scratchFolder] = [await certified(), await temporaryFolder()];
    const { identifications, text } = peopleFile(fault === 'cut for good' ? undefined : fault, crowd);
    const other = fault === 'other host' ? await openOtherHost() : undefined;
    let version = 1;
    let tokens = 0;
    const door = await openFileDoor(
      async ({ method, url }) => {
        const headers = { 'content-type': 'text/csv', etag: `"${version}"` };
        if (url === '/token') {
          tokens += 1;
          const granted = Buffer.from(JSON.stringify({ access_token: `t${tokens}`, expires_in: 3600 }));
          return { status: 200, headers: { 'content-type': 'application/json' }, body: granted };
        }
        if (other !== undefined) {
          const location = `http://127.0.0.1:${other.port}/employees.csv`;
          return { status: 302, headers: { location }, body: Buffer.alloc(0) };
        }
        if (fault === 'still written' && method === 'GET') version += 1;
        const written = version === 1 ? text : text.replace('First', `F${version}`);
        return { status: 200, headers, body: Buffer.from(written) };
      },
      fault,
      certificate,
    );
    const origin = `https://127.0.0.1:${door.port}`;
    const auth =
      fault === 'token ends'
        ? { kind: 'client-credentials', tokenUrl: `${origin}/token`, clientId: 'rollcall', clientSecret: 's' }
        : { kind: 'bearer', token: 'secret-token' };
    const https = { url: `${origin}/employees.csv?signature=abc`, auth, tls: { ca: certificate.ca } };
    return {
      source: openSource({ kind: 'csv', https, complete: 'trailer' }, sourceBase(scratchFolder)),
      field: 'id',
      identifications,
      openResources: () => filesOpenIn(scratchFolder) + socketsTo(door.port),
      verify() {
        if (other !== undefined) expect(other.asked).toEqual([]);
        if (fault === 'token ends') expect(tokens).toBe(2);
      },
    };
  },
  ahead: { kind: 'unseen', why: onDisk },
  impossible: { ...impossibleForFiles, 'a pipe': noFile },
};
