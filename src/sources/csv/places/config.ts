import { z } from 'zod';
import { HttpAuth, HttpTls, HttpUrl, text } from '../../kit/http/settings.ts';

const fingerprint = z
  .string()
  .regex(/^SHA256:[A-Za-z0-9+/]{43}=?$/, 'must be SHA256: and 43 characters, as ssh-keygen -lf shows it');

export const Sftp = z
  .strictObject({
    host: text().meta({ description: 'Name or address of the server.', examples: ['sftp.example.com'] }),
    port: z.int().min(1).max(65_535).default(22).meta({ description: 'Its port.' }),
    user: text().meta({
      description: 'The account to log in with; it needs the right to read the file and its folder.',
    }),
    password: text().optional().meta({ description: 'Its password.' }),
    privateKey: text().optional().meta({
      description: 'Instead of a password: the private key, OpenSSH or PEM.',
    }),
    passphrase: text().optional().meta({ description: 'What `privateKey` is encrypted with.' }),
    hostKey: z.union([fingerprint, z.array(fingerprint).min(1)]).meta({
      description:
        "SHA-256 fingerprint of the server's host key, or a list of them: another key is refused. `ssh-keyscan HOST | ssh-keygen -lf -` shows them.",
      examples: ['SHA256:uNiVztksCsDhcc0u9e8BrLYB0ZNRxYwx1dsYCMbn5Jg'],
    }),
    path: text().meta({
      description: 'The file on the server. A `*` in its name stands for any characters: the newest such file is read.',
      examples: ['/outgoing/employees-*.csv'],
    }),
  })
  .superRefine((sftp, context) => {
    if ((sftp.password === undefined) === (sftp.privateKey === undefined)) {
      context.addIssue({ code: 'custom', path: [], message: 'needs password or privateKey, one of them' });
    }
    if (sftp.passphrase !== undefined && sftp.privateKey === undefined) {
      context.addIssue({ code: 'custom', path: ['passphrase'], message: 'is only read with privateKey' });
    }
  });

export type Sftp = z.infer<typeof Sftp>;

/** A file behind an address. */
export const Https = z.strictObject({
  url: HttpUrl.meta({ description: 'Its address.', examples: ['https://hr.example.com/export/employees.csv'] }),
  auth: HttpAuth.default({ kind: 'none' }),
  tls: HttpTls,
});

export type Https = z.infer<typeof Https>;

export const S3 = z.strictObject({
  endpoint: HttpUrl.optional().meta({
    description: 'The address of a service other than AWS.',
    examples: ['https://minio.example.com'],
  }),
  region: text().meta({ description: 'The region of the bucket; `us-east-1` if the service has no regions.' }),
  bucket: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be 3 to 63 lower-case letters, digits, dots and hyphens')
    .meta({ description: 'The bucket.' }),
  key: text().meta({
    description: 'The object. A `*` in its last part stands for any characters: the newest such object is read.',
    examples: ['hr/employees-*.csv'],
  }),
  accessKeyId: text().meta({
    description: 'Access key of an account with `s3:GetObject`, and `s3:ListBucket` for a `*`.',
  }),
  secretAccessKey: text().meta({ description: 'Its secret.' }),
  sessionToken: text().optional().meta({ description: 'The session token of temporary credentials.' }),
  addressing: z.enum(['path', 'host']).optional().meta({
    description:
      'Where the bucket name is: in the path, or before the host name. Default: `host` for AWS (`path` if the bucket has dots), `path` elsewhere.',
  }),
  tls: HttpTls,
});

export type S3 = z.infer<typeof S3>;
