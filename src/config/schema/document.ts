import { z } from 'zod';
import { connectionShape } from './connection.ts';
import { editorSchema, rootShape } from './root.ts';
import { namePattern } from './root-names.ts';
import { syncShape } from './sync.ts';

const name = () => z.string().regex(namePattern);

/** The whole file, for generated documents. `loadConfig` reads it section by section. */
export const document = z.strictObject({
  $schema: editorSchema,
  store: rootShape.store,
  redis: rootShape.redis,
  encryptionKey: rootShape.encryptionKey,
  formerEncryptionKeys: rootShape.formerEncryptionKeys,
  retention: rootShape.retention,
  workers: rootShape.workers,
  deployment: rootShape.deployment,
  traceUrl: rootShape.traceUrl,
  connections: z.record(name(), z.strictObject(connectionShape)).meta({
    description: 'The platform communities, each under a name of your choice.',
    examples: [{ acme: { baseUrl: 'https://platform.example.com', accessToken: `\${env:ACME_ACCESS_TOKEN}` } }],
  }),
  syncs: z
    .record(name(), z.strictObject(syncShape))
    .prefault({})
    .meta({
      description: 'The syncs, each under a name of your choice.',
      examples: [{ people: { connection: 'acme', policy: 'upsert-only' } }],
    }),
  server: rootShape.server,
  alerts: rootShape.alerts,
  log: rootShape.log,
});
