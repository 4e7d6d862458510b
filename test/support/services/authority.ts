import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './programs.ts';

/** An authority of this test's own, and a certificate that it signed for 127.0.0.1 and localhost. In PEM. */
export interface TestCertificate {
  readonly ca: string;
  readonly key: string;
  readonly cert: string;
}

/** Makes one with openssl. */
export async function makeCertificate(): Promise<TestCertificate> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-authority-'));
  const path = (name: string): string => join(folder, name);
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  try {
    await run('openssl', [...request, '-subj', '/CN=ca', '-keyout', path('ca.key'), '-out', path('ca.crt')]);
    const signed = ['-CA', path('ca.crt'), '-CAkey', path('ca.key')];
    const names = ['-subj', '/CN=server', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
    await run('openssl', [...request, ...signed, ...names, '-keyout', path('key'), '-out', path('crt')]);
    const [ca, key, cert] = await Promise.all(['ca.crt', 'key', 'crt'].map((name) => readFile(path(name), 'utf8')));
    return { ca: ca ?? '', key: key ?? '', cert: cert ?? '' };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
