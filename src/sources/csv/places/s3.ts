import type { Authority } from '../../kit/http/authority.ts';
import type { SourceClient } from '../../kit/http/source-client.ts';
import type { S3 } from './config.ts';
import { chooseNewest, isPattern } from './newest.ts';
import type { Place, Visit } from './place.ts';
import { isRefusal, readRefusal, refusals, s3Error } from './s3-errors.ts';
import { stateOf, takeFile, withWebServer } from './web-files.ts';

/**
 * Opens an object of a bucket by the S3 API (GetObject, HeadObject, ListObjectsV2), signed with AWS Signature Version
 * 4.
 */
export function s3Place(s3: S3, newest: 'name' | 'time'): Place {
  const bucketUrl = bucketAddress(s3);
  const server = { origin: new URL(bucketUrl).origin, authority: signer(s3), tls: s3.tls };
  return {
    visit: (io, work) => withWebServer(server, io, (client) => work(visitOf(s3, newest, bucketUrl, client))),
  };
}

function visitOf(s3: S3, newest: 'name' | 'time', bucketUrl: string, client: SourceClient): Visit {
  const nameOf = (key: string): string => `s3://${s3.bucket}/${key}`;
  const urlOf = (key: string): string => `${bucketUrl}/${key.split('/').map(encodeStrictly).join('/')}`;
  const headers = { accept: '*/*' };
  return {
    nameOf,
    async find() {
      if (!isPattern(s3.key)) return { file: s3.key };
      const { listObjects } = await import('./s3-list.ts');
      return chooseNewest(nameOf(s3.key), await listObjects(s3, bucketUrl, client), newest);
    },
    async stat(key) {
      const request = { name: `HeadObject ${nameOf(key)}`, url: urlOf(key), headers, answers: refusals };
      const found = await client.receive({ ...request, method: 'HEAD' }, async (answer) =>
        answer.status === 200 ? stateOf(answer) : readRefusal(answer),
      );
      if (!isRefusal(found)) return found;
      if (found.status === 404) return undefined;
      throw s3Error(s3, nameOf(key), found);
    },
    async fetch(key, sink) {
      const request = { name: `GetObject ${nameOf(key)}`, url: urlOf(key), headers, answers: refusals };
      const taken = await client.receive(request, async (answer, deadline) =>
        answer.status === 200 ? takeFile(answer, deadline, sink) : readRefusal(answer),
      );
      if (isRefusal(taken)) throw s3Error(s3, nameOf(key), taken);
      return taken;
    },
  };
}

/**
 * Signs each request. The signature holds this machine's time, which the server compares with its own, so the
 * injected clock is not used.
 */
function signer(s3: S3): Authority {
  const { accessKeyId, secretAccessKey, sessionToken, region } = s3;
  return {
    async credential(_clock, _signal, { method, url }) {
      // Loaded only where it is used.
      const { AwsV4Signer } = await import('aws4fetch');
      const signature = new AwsV4Signer({
        method,
        url,
        accessKeyId,
        secretAccessKey,
        ...(sessionToken === undefined ? {} : { sessionToken }),
        service: 's3',
        region,
      });
      const { headers } = await signature.sign();
      return { headers: Object.fromEntries(headers), generation: undefined };
    },
    renew: async () => false,
  };
}

function bucketAddress({ endpoint, region, bucket, addressing }: S3): string {
  const isAws = endpoint === undefined;
  const where = addressing ?? (isAws && !bucket.includes('.') ? 'host' : 'path');
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  if (where === 'host') url.host = `${bucket}.${url.host}`;
  const address = url.href.replace(/\/$/, '');
  return where === 'host' ? address : `${address}/${bucket}`;
}

/** Percent-encodes every byte except unreserved ones, as the signature requires. */
function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
