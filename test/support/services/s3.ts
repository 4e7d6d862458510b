import { AwsClient } from 'aws4fetch';
import S3rver from 's3rver';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';

/** An S3-compatible server of this test, with one bucket. */
export interface S3Server {
  readonly port: number;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  put(key: string, body: string | Uint8Array): Promise<void>;
  remove(key: string): Promise<void>;
}

/** Starts one on a free port of 127.0.0.1; it is gone with the test. It checks no signatures of version 4. */
export async function startS3(): Promise<S3Server> {
  const bucket = 'hr-exports';
  // The only pair it knows.
  const pair = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: await temporaryFolder(),
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await server.run();
  onTestFinished(() => server.close());
  const client = new AwsClient({ ...pair, service: 's3', region: 'us-east-1', retries: 0 });
  const send = async (method: string, key: string, body?: string | Uint8Array): Promise<void> => {
    const url = `http://127.0.0.1:${port}/${bucket}/${key}`;
    const answer = await client.fetch(url, { method, ...(body === undefined ? {} : { body: Buffer.from(body) }) });
    if (!answer.ok) throw new Error(`${method} ${key}: ${answer.status} ${await answer.text()}`);
  };
  return {
    port,
    bucket,
    ...pair,
    put: (key, body) => send('PUT', key, body),
    remove: (key) => send('DELETE', key),
  };
}
