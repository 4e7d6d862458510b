import { z } from 'zod';
import type { ApprovalRule, ApprovalSettings } from '../../core/guard/approvals.ts';
import { type ChangeClass, changeClasses } from '../../core/plan/change.ts';
import { given } from '../../core/run/given.ts';
import { alerts } from './alerts.ts';
import { connectionShape } from './connection.ts';
import { redis } from './redis.ts';
import { reports } from './reports.ts';
import { server } from './server.ts';
import { syncShape } from './sync.ts';
import { documented, duration, name, secretText, text, wholeNumber } from './values.ts';

const approvers = () => wholeNumber(1, 5);

const approver = text().superRefine((value, ctx) => {
  if (/^(group|user|token):./.test(value)) return;
  if (value.startsWith('shell:')) {
    const message = 'names a user of a shell, who never approves; name a group:, a token: or a user:SUBJECT';
    return void ctx.addIssue({ code: 'custom', message });
  }
  const message = `must be group:${value}, token:${value} (a name in "server.tokens") or user:SUBJECT, because a group, a token and a user can have the same name`;
  ctx.addIssue({ code: 'custom', message });
});

const approvalRule = z
  .strictObject({
    approvers: documented(approvers().default(1), 'How many different identities approve each change.', 2),
    above: documented(
      wholeNumber(0, 1_000_000).default(0),
      'The rule applies above this number of changes of the class in 24 hours; 0: to every change.',
      50,
    ),
    by: documented(
      z.array(approver).min(1).optional(),
      'Who may approve: `group:NAME` of the identity provider, `user:SUBJECT` as `rollcall audit` has it, or `token:NAME` of `server.tokens`. Absent: each operator.',
      ['group:hr-leads'],
    ),
    notRequester: documented(
      z.boolean().default(false),
      '`true`: the person who requested the run by hand may not approve its changes.',
      true,
    ),
  })
  .transform(given);

const classApproval = documented(
  z
    .union([approvers(), approvalRule])
    .transform(
      (value): ApprovalRule =>
        typeof value === 'number' ? { approvers: value, above: 0, notRequester: false } : value,
    )
    .optional(),
  'How changes of this class are approved: a number of approvers, or a rule.',
  2,
  { above: 50, by: ['group:hr-leads'], notRequester: true },
);

const approvalRules = Object.fromEntries(changeClasses.map((name) => [name, classApproval])) as Readonly<
  Record<ChangeClass, typeof classApproval>
>;

/** `approvals`: who must approve what, besides the guards. */
const approvals = documented(
  z
    .strictObject({
      reason: documented(
        z.enum(['required', 'optional']).default('optional'),
        '`required`: approvals, retries, undos and decisions about accounts need a reason.',
        'required',
      ),
      ...approvalRules,
    })
    .transform(
      ({ reason, ...rules }): ApprovalSettings => ({ isReasonRequired: reason === 'required', rules: given(rules) }),
    )
    .optional(),
  'Who must approve what, besides the guards: see [approvals and scopes](approvals.md). With this key, approvals need an identity of OpenID Connect or of `server.tokens`.',
  { reason: 'required', removes: 2, disables: { above: 50, by: ['group:hr-leads'], notRequester: true } },
);

const defaultStore = 'sqlite:./.rollcall/rollcall.db';

/** Returns a schema for 32 bytes in base64. */
function key() {
  return secretText().refine((value) => /^[A-Za-z0-9+/]{43}=$/.test(value.reveal()), {
    error: 'must be 32 random bytes in base64 (44 characters); create one with: openssl rand -base64 32',
  });
}

/** `retention`: how long the store keeps what. */
const retention = documented(
  z
    .strictObject({
      runs: documented(
        duration('1d', '3650d').prefault('90d'),
        'How long the details of a run are kept: changes with their values, findings, batches, and raw answers of other systems. The run itself, as numbers, stays.',
        '30d',
      ),
      audit: documented(duration('1d', '3650d').prefault('400d'), 'How long the store keeps audit entries.', '730d'),
      ledgerOfGone: documented(
        duration('1d', '3650d').prefault('400d'),
        'How long the ledger keeps users whom Rollcall disabled or removed and who stayed gone. Afterwards only a keyed hash with owner, disabled and blacklist is kept. Never shorter than `remove.afterDays` and 30 days.',
        '180d',
      ),
    })
    .prefault({}),
  'Retention times of the data in the store. See [privacy.md](privacy.md).',
  { runs: '30d' },
);

/** `workers`: how much one process does at a time, and how long what it held stays with it when it dies. */
const workers = documented(
  z
    .strictObject({
      concurrency: documented(
        wholeNumber(1, 64).default(4),
        'Maximum number of runs that one worker process executes concurrently. In addition, it makes half as many plans concurrently, at most four. Only with `redis`.',
        8,
      ),
      lock: documented(
        duration('3s', '5m').prefault('6s'),
        'How long the run of a dead worker waits until another worker continues it. Set a longer time if a busy machine stops workers for seconds, which makes them lose their runs. Only with `redis`.',
        '15s',
      ),
      storeConnections: documented(
        wholeNumber(2, 100).default(10),
        "Maximum number of PostgreSQL connections per process. All processes together must stay below the server's `max_connections`.",
        5,
      ),
    })
    .prefault({})
    .transform(({ lock, ...rest }) => ({ ...rest, lockMs: lock })),
  'Capacity of one process. The defaults suit most deployments.',
  { concurrency: 8 },
);

/** The top-level keys without operator-chosen names below them. */
export const rootShape = {
  /** A url of PostgreSQL may hold a password. */
  store: documented(
    text()
      .superRefine((url, ctx) => {
        if (/^sqlite:.+/.test(url) || /^postgres(ql)?:\/\/./.test(url)) return;
        const guess = /^\.{0,2}\/|^[^:]+\.(db|sqlite)$/.test(url) ? `; did you mean sqlite:${url}?` : '';
        const message = `must be sqlite: and a path, such as ${defaultStore}, or postgres://user:password@host/database${guess}`;
        ctx.addIssue({ code: 'custom', message });
      })
      .default(defaultStore),
    "The store: a SQLite file, with its path relative to this file's folder, or a PostgreSQL database (13 or newer) that several workers share. Over a network the connection is encrypted and the server verified (`sslmode=verify-full`) unless the url has another `sslmode`, such as `disable`.",
    defaultStore,
    `postgres://rollcall:\${env:DATABASE_PASSWORD}@db.example.com/rollcall?sslmode=verify-full`,
  ),
  redis,
  encryptionKey: documented(
    key().optional(),
    'Seals the tokens and the personal data in the store. Required with a `refreshToken`. 32 bytes in base64: `openssl rand -base64 32`.',
    `\${env:ROLLCALL_KEY}`,
  ),
  formerEncryptionKeys: documented(
    z.array(key()).default([]),
    'Former keys that sealed data in the store, in addition to the current `encryptionKey`. Personal data is sealed again in the background; then the former key can be deleted here.',
    [`\${env:ROLLCALL_FORMER_KEY}`],
  ),
  retention,
  workers,
  deployment: documented(
    text().max(100).default('rollcall'),
    'The name of this deployment, in every alert. Deployments that send alerts to the same people need different names. The Helm chart sets `NAMESPACE/RELEASE`.',
    'production',
  ),
  commandPrefix: documented(
    text().max(200).optional(),
    'Prefix of each command in a notice, so that the command works when it is copied. Absent: `kubectl -n NAMESPACE exec deploy/NAME --` if `deployment` is `NAMESPACE/NAME`, else nothing. The Helm chart sets it.',
    'kubectl -n hr exec deploy/rollcall --',
    'docker exec rollcall',
  ),
  traceUrl: documented(
    z
      .string()
      .refine((value) => value.includes('{traceId}') && URL.canParse(value) && /^https?:/.test(value), {
        error: 'must be an address with {traceId} in it, such as https://grafana.example.com/explore/{traceId}',
      })
      .optional(),
    'The address of a trace, with `{traceId}` in it. Alerts then link to the trace of their run: see [tracing.md](tracing.md).',
    'https://grafana.example.com/explore?traceId={traceId}',
  ),
  approvals,
  reports,
  server,
  alerts,
  log: documented(
    z
      .strictObject({
        level: documented(
          z.enum(['debug', 'info', 'warn', 'error']).default('info'),
          'The lowest log level that is written.',
          'debug',
        ),
      })
      .prefault({}),
    'The log.',
    { level: 'debug' },
  ),
};

export type RootSettings = z.output<z.ZodObject<typeof rootShape>>;

/** Points editors to the JSON Schema of a JSON file. Nothing else reads it. */
export const editorSchema = documented(
  z.string().optional(),
  'The JSON Schema, for editors. Rollcall does not read it.',
  './rollcall.schema.json',
);

const { server: _server, alerts: _alerts, log, ...first } = rootShape;

/** The whole file, for generated documents. `loadConfig` reads it section by section. */
export const document = z.strictObject({
  $schema: editorSchema,
  ...first,
  connections: documented(
    z.record(name(), z.strictObject(connectionShape)),
    'The platform communities, each under a name of your choice.',
    { acme: { baseUrl: 'https://platform.example.com', accessToken: `\${env:ACME_ACCESS_TOKEN}` } },
  ),
  syncs: documented(
    z.record(name(), z.strictObject(syncShape)).prefault({}),
    'The syncs, each under a name of your choice.',
    { people: { connection: 'acme', policy: 'upsert-only' } },
  ),
  server,
  alerts,
  log,
});
