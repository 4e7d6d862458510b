import { learnedSettings } from '../../src/ports/api.ts';
import type { SourceKind } from '../../src/ports/source.ts';
import { anchor, type KeyRow, renderKeyList, renderKeyTable, wrap } from './config-keys.ts';
import { configJsonSchema, type SchemaNode } from './config-schema.ts';

/** Returns the text of docs/configuration.md: every key with type, default, meaning and example, from its schema. */
export function renderConfigReference(kinds: readonly SourceKind[]): string {
  const schema = configJsonSchema(kinds);
  const parts = chapters.map((chapter) => renderChapter(chapter, schema));
  return `${[introduction, renderFirstKeys(schema), ...parts].join('\n\n')}\n`;
}

interface Chapter {
  readonly title: string;
  /** Steps from the top. `*` is a name that the operator chooses. */
  readonly path: readonly string[];
  readonly text: string;
  /** The keys by what a reader wants to do. Absent: one list. */
  readonly tasks?: Readonly<Record<string, readonly string[]>>;
}

const chapters: readonly Chapter[] = [
  {
    title: 'The file',
    path: [],
    text: 'The keys at the top.',
    tasks: {
      'Name connections, syncs and outputs': ['connections', 'syncs', 'server', 'alerts', 'reports'],
      'Store data': ['store', 'encryptionKey', 'formerEncryptionKeys', 'retention'],
      'Run several processes': ['redis', 'workers'],
      'Require more approvals': ['approvals'],
      'Identify a deployment in alerts and logs': ['deployment', 'commandPrefix', 'traceUrl', 'log', '$schema'],
    },
  },
  {
    title: 'A connection',
    path: ['connections', '*'],
    text: 'Below `connections.<name>`. Give `applicationToken` and `refreshToken`, or a fixed `accessToken`.',
    tasks: {
      'Reach the platform': ['baseUrl', 'insecure', 'proxy', 'ca'],
      'Authenticate at the platform': ['applicationToken', 'refreshToken', 'accessToken'],
      'Limit the load on the platform': ['limits', 'dialect'],
    },
  },
  {
    title: 'The dialect',
    path: ['connections', '*', 'dialect'],
    text: 'Below `connections.<name>.dialect`: what the API contract does not define. [Platform assumptions](platform-assumptions.md) has the effect of each wrong value.',
  },
  {
    title: 'A sync',
    path: ['syncs', '*'],
    text: 'Below `syncs.<name>`.',
    tasks: {
      'Connect a source to the platform': ['connection', 'source', 'formerly', 'mapping', 'nulls', 'expressions'],
      'Choose when runs start': ['schedule', 'deltas', 'freeze', 'freshness'],
      'Choose who is synced': ['scope', 'prefer', 'match', 'outOfScope', 'protected'],
      'Decide who left': ['lifecycle', 'missing', 'leavers', 'handOver'],
      'Limit what a run may change': ['policy', 'guards', 'firstSight', 'foreignDisable', 'remove', 'parkEmail'],
      'Deliver changes and read them back': ['delivery', 'outbox', 'batchRows', 'settle'],
      'Name who corrects a record': ['hrOwner'],
    },
  },
  {
    title: 'The mapping',
    path: ['syncs', '*', 'mapping'],
    text: 'Below `syncs.<name>.mapping`: one key per field of the platform.',
  },
  {
    title: 'A mapping entry',
    path: ['$defs', 'fieldRule'],
    text: 'The value of a field: the name of a source field, or a mapping with exactly one of `from`, `value` and `expression`.',
  },
  {
    title: 'A leader',
    path: ['$defs', 'leaderRule'],
    text: 'Below `manager`, and one entry of `secondaryLeaders`: a source field, or a mapping with exactly one of `from`, `value` and `expression`. See [managers as leaders](how-to/managers-as-leaders.md).',
  },
  { title: 'The lifecycle', path: ['syncs', '*', 'lifecycle'], text: 'Below `syncs.<name>.lifecycle`.' },
  {
    title: 'The guards',
    path: ['syncs', '*', 'guards'],
    text: 'Below `syncs.<name>.guards`. A held class is not delivered until an operator approves it. The other classes continue.',
  },
  {
    title: 'A report by e-mail',
    path: ['reports', '*'],
    text: 'Below `reports.<name>`: leavers or joiners to a mailbox. See [Report leavers and joiners](how-to/report-leavers.md).',
  },
  {
    title: 'An alert channel',
    path: ['alerts', '[]'],
    text: 'One entry of the list `alerts`. Test it with `rollcall alerts test`.',
    tasks: {
      'Choose a receiver': ['kind', 'name', 'url', 'insecure', 'accept'],
      'Authenticate at the receiver': ['secret', 'token', 'apiKey', 'routingKey', 'channel', 'from', 'to'],
      'Choose what the receiver gets': ['severities', 'syncs', 'after', 'remind'],
    },
  },
  {
    title: 'The server',
    path: ['server'],
    text: 'Below `server`: the HTTP API, the page and health. [HTTP API](http-api.md) describes the answers.',
    tasks: {
      Listen: ['host', 'port', 'metricsPort', 'metrics', 'publicUrl', 'trustedProxies', 'requestsPerMinute'],
      'Sign users in': ['signInLink', 'tokens', 'openId', 'sessions'],
      'Start a sync from another system': ['webhooks'],
    },
  },
  {
    title: 'A webhook',
    path: ['server', 'webhooks', '*'],
    text: 'Below `server.webhooks.<sync>`.',
  },
];

const introduction = `# Configuration

<!-- Generated from src/config/sections by \`npm run docs\`; edit there. -->

Rollcall reads one file, \`rollcall.yaml\` (or the one named by \`--config\` or \`ROLLCALL_CONFIG\`), in YAML or JSON. All of it is
checked before anything starts. Every problem is reported at once, with its line, its key and what is allowed. The exit code is then 2.
Unknown and duplicate keys are problems too.

- **References.** \`\${env:NAME}\` is replaced by an environment variable, and \`\${file:path}\` by the text of a file without its last
  line end. Relative paths are resolved from the configuration's folder. Both also work inside a longer text. A missing variable or file is a problem.
  \`$\${\` is a literal \`\${\`. Referenced values are never shown. Keep tokens out of the file itself.
- **Durations** are a whole number and a unit: \`250ms\`, \`5s\`, \`30m\`, \`24h\`, \`30d\`.
- **Expressions** are [JSONata](https://docs.jsonata.org) over one source record.
- **Texts** that look like a number, \`true\` or \`false\` need quotes: \`"007"\`.
- **Editors** complete and check the file with \`schema/rollcall.schema.json\`:
  \`# yaml-language-server: $schema=./node_modules/rollcall/schema/rollcall.schema.json\` in the first line.
- **In the lists below**, \`*\` in a key stands for each of its neighbors that takes a mapping. A key without a default is optional, or
  says that it is required. The keys of each source are in [source keys](sources/keys.md).`;

/** The keys of a usual configuration: path, chapter, meaning. `*` is a name that the operator chooses. */
const firstKeys: readonly (readonly [path: string, chapter: string, meaning: string])[] = [
  ['connections.*.baseUrl', 'A connection', 'Address of the platform'],
  [
    'connections.*.accessToken',
    'A connection',
    'A fixed token; or `applicationToken` and `refreshToken`, which are refreshed',
  ],
  ['syncs.*.connection', 'A sync', 'To which platform the people go'],
  ['syncs.*.source', 'A sync', 'Where they come from: `kind`, and the keys of that kind'],
  ['syncs.*.policy', 'A sync', 'What the sync may do. Begin with `upsert-only`; `sync` disables too'],
  ['syncs.*.mapping', 'The mapping', 'Which column belongs to which field'],
  [
    'syncs.*.mapping.identification',
    'The mapping',
    'The column that names a person, equal to the identification on the platform',
  ],
  ['syncs.*.lifecycle', 'The lifecycle', 'Which statuses are active, and which mean that a person left'],
  ['syncs.*.schedule', 'A sync', 'When it runs, with a time zone'],
  ['encryptionKey', 'The file', 'Seals tokens and personal data in the store'],
  ['alerts', 'An alert channel', 'Who gets a notice when something waits or fails'],
  ['server', 'The server', 'The page, the HTTP API and health'],
];

function renderFirstKeys(schema: SchemaNode): string {
  const rows = firstKeys.map(([path, chapter, meaning]) => {
    path.split('.').reduce<SchemaNode>(step, schema);
    if (!chapters.some(({ title }) => title === chapter)) throw new RangeError(`there is no chapter ${chapter}`);
    return `| \`${path.replace('connections.*', 'connections.acme').replace('syncs.*', 'syncs.people')}\` | [${chapter}](${anchor(chapter)}) | ${meaning} |`;
  });
  return `## The twelve keys you need

\`rollcall init\` writes them with comments, and \`rollcall init --from FILE\` fills them from an export. Everything else has a default.

\`\`\`yaml
${firstConfiguration}\`\`\`

| Key | Chapter | Meaning |
| --- | --- | --- |
${rows.join('\n')}`;
}

const firstConfiguration = `encryptionKey: \${env:ROLLCALL_KEY}           # openssl rand -base64 32
connections:
  acme:
    baseUrl: https://platform.example.com
    accessToken: \${env:ROLLCALL_ACCESS_TOKEN}
syncs:
  people:
    connection: acme
    source: { kind: csv, path: ./employees.csv }
    policy: upsert-only
    mapping: { identification: employee_id, firstName: first_name, lastName: last_name, email: work_email }
    lifecycle: { status: status, active: [active, leave], leaver: [terminated] }
    schedule: { cron: "*/15 * * * *", timezone: UTC }
alerts:
  - kind: slack
    url: \${env:ALERTS_URL}
server: { signInLink: admin }
`;

function renderChapter({ title, path, text, tasks }: Chapter, schema: SchemaNode): string {
  const node = path.reduce<SchemaNode>(step, schema);
  const head = `## ${title}\n\n${wrap(text)}`;
  const rows = rowsOf(node, path, [], schema);
  if (title === 'The dialect') return `${head}\n\n${renderDialect(rows)}`;
  if (tasks === undefined) return `${head}\n\n${renderKeyList(rows)}`;
  const listed = Object.values(tasks).flat();
  const keys = Object.keys(mappingOf(node)?.properties ?? {});
  const odd = [...keys.filter((key) => !listed.includes(key)), ...listed.filter((key) => !keys.includes(key))];
  if (odd.length > 0) throw new RangeError(`the chapter ${title} must list ${odd.join(', ')} once`);
  const parts = Object.entries(tasks).map(([task, names]) => {
    const own = names.flatMap((name) => rows.filter(({ key }) => key.split(/[.[]/)[0] === name));
    return `### ${task}\n\n${renderKeyList(own)}`;
  });
  return [head, ...parts].join('\n\n');
}

/** Returns the settings that `learn` proves as one table, and the others as a list. */
function renderDialect(rows: readonly KeyRow[]): string {
  const isLearned = ({ key }: KeyRow) => learnedSettings.some((setting) => setting === key);
  const isHeading = ({ node }: KeyRow) => node.properties !== undefined;
  const others = rows.filter((row) => !isLearned(row) && !isHeading(row));
  return `### Settings that learn proves

\`rollcall learn CONNECTION\` finds these values with a test user, and prints the lines to copy. It also measures
\`settle.visibleWithin\` of the syncs.

${renderKeyTable(rows.filter(isLearned))}

### Other settings of the platform

${renderKeyList(others)}`;
}

function step(node: SchemaNode, name: string): SchemaNode {
  if (name === '$defs') return { properties: node.$defs ?? {} };
  if (name === '[]' && node.items !== undefined) return node.items;
  const below = name === '*' ? node.additionalProperties : mappingOf(node)?.properties?.[name];
  if (typeof below !== 'object') throw new RangeError(`the configuration schema has no ${name} here`);
  return below;
}

/** Returns the node itself, or the alternative of a choice, that has keys. */
function mappingOf(node: SchemaNode): SchemaNode | undefined {
  return node.properties !== undefined ? node : node.anyOf?.find(({ properties }) => properties !== undefined);
}

function rowsOf(node: SchemaNode, chapter: readonly string[], above: readonly string[], schema: SchemaNode): KeyRow[] {
  const mapping = mappingOf(node);
  const shapes = new Map<string, number>();
  const { properties = {}, required = [] } = mapping ?? {};
  for (const child of Object.values(properties)) shapes.set(shapeOf(child), (shapes.get(shapeOf(child)) ?? 0) + 1);
  const shown = new Set<string>();
  return Object.entries(properties).flatMap(([key, child]) => {
    const path = [...above, key];
    const own = chapterAt([...chapter, ...path]);
    const isRequired = required.includes(key);
    const row = { key: path.join('.'), node: child, isRequired, meaning: meaningOf(child, own) };
    if (own !== undefined) return [row];
    const shape = shapeOf(child);
    const isShared = shape !== '' && (shapes.get(shape) ?? 0) > 2;
    if (isShared && shown.has(shape)) return [row];
    shown.add(shape);
    // Keys below several classes appear once, below the name `*`. The keys of a list's items: `tokens[].role`.
    const name = isShared ? '*' : key;
    const [below, at] = child.items === undefined ? [child, name] : [child.items, `${name}[]`];
    return [row, ...rowsOf(below, chapter, [...above, at], schema)];
  });
}

/** The keys below a key and their meanings. Two classes of changes have the same; their defaults differ. */
function shapeOf(node: SchemaNode): string {
  const keys = Object.entries(mappingOf(node.items ?? node)?.properties ?? {});
  return keys.map(([key, { description = '' }]) => `${key} ${description}`).join('\n');
}

function chapterAt(path: readonly string[]): Chapter | undefined {
  return chapters.find((chapter) => {
    const place = ['*', '[]'].includes(chapter.path.at(-1) ?? '') ? chapter.path.slice(0, -1) : chapter.path;
    return place.length > 0 && place.join('.') === path.join('.');
  });
}

function meaningOf({ description = '' }: SchemaNode, chapter: Chapter | undefined): string {
  return chapter === undefined ? description : `${description} See [${chapter.title}](${anchor(chapter.title)}).`;
}
