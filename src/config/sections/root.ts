import { z } from 'zod';
import { alerts } from './alerts.ts';
import { redis } from './redis.ts';
import { retention } from './retention.ts';
import { server } from './server.ts';
import { secretText, text } from './values.ts';
import { workers } from './workers.ts';

const defaultStore = 'sqlite:./.rollcall/rollcall.db';

/** Returns a schema for 32 bytes in base64. */
function key() {
  return secretText().refine((value) => /^[A-Za-z0-9+/]{43}=$/.test(value.reveal()), {
    error: 'must be 32 random bytes in base64 (44 characters); create one with: openssl rand -base64 32',
  });
}

/** The top-level keys without operator-chosen names below them. */
export const rootShape = {
  /** A url of PostgreSQL may hold a password. */
  store: text()
    .superRefine((url, ctx) => {
      if (/^sqlite:.+/.test(url) || /^postgres(ql)?:\/\/./.test(url)) return;
      const guess = /^\.{0,2}\/|^[^:]+\.(db|sqlite)$/.test(url) ? `; did you mean sqlite:${url}?` : '';
      const message = `must be sqlite: and a path, such as ${defaultStore}, or postgres://user:password@host/database${guess}`;
      ctx.addIssue({ code: 'custom', message });
    })
    .default(defaultStore)
    .meta({
      description:
        "The store: a SQLite file, with its path relative to this file's folder, or a PostgreSQL database (13 or newer) that several workers share.",
      examples: [
        defaultStore,
        `postgres://rollcall:\${env:DATABASE_PASSWORD}@db.example.com/rollcall?sslmode=verify-full`,
      ],
    }),
  redis,
  encryptionKey: key()
    .optional()
    .meta({
      description:
        'Seals the tokens and the personal data in the store. Required with a `refreshToken`. 32 bytes in base64: `openssl rand -base64 32`.',
      examples: [`\${env:ROLLCALL_KEY}`],
    }),
  formerEncryptionKeys: z
    .array(key())
    .default([])
    .meta({
      description:
        'Former keys that sealed data in the store, in addition to the current `encryptionKey`. Personal data is sealed again in the background; then the former key can be deleted here.',
      examples: [[`\${env:ROLLCALL_FORMER_KEY}`]],
    }),
  retention,
  workers,
  deployment: text()
    .max(100)
    .default('rollcall')
    .meta({
      description:
        'The name of this deployment, in every alert. Deployments that send alerts to the same people need different names. The Helm chart sets `NAMESPACE/RELEASE`.',
      examples: ['production'],
    }),
  traceUrl: z
    .string()
    .refine((value) => value.includes('{traceId}') && URL.canParse(value) && /^https?:/.test(value), {
      error: 'must be an address with {traceId} in it, such as https://grafana.example.com/explore/{traceId}',
    })
    .optional()
    .meta({
      description:
        'The address of a trace, with `{traceId}` in it. Alerts then link to the trace of their run: see [tracing.md](tracing.md).',
      examples: ['https://grafana.example.com/explore?traceId={traceId}'],
    }),
  server,
  alerts,
  log: z
    .strictObject({
      level: z
        .enum(['debug', 'info', 'warn', 'error'])
        .default('info')
        .meta({ description: 'The lowest log level that is written.', examples: ['debug'] }),
    })
    .prefault({})
    .meta({ description: 'The log.', examples: [{ level: 'debug' }] }),
};

export type RootSettings = z.output<z.ZodObject<typeof rootShape>>;

/** Points editors to the JSON Schema of a JSON file. Nothing else reads it. */
export const editorSchema = z
  .string()
  .optional()
  .meta({
    description: 'The JSON Schema, for editors. Rollcall does not read it.',
    examples: ['./rollcall.schema.json'],
  });
