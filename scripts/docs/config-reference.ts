import type { SourceKind } from '../../src/ports/source.ts';
import { anchor, type KeyRow, renderKeys, wrap } from './config-keys.ts';
import { configJsonSchema, type SchemaNode } from './config-schema.ts';
import { renderSourceReference } from './source-reference.ts';

/** Returns the text of docs/configuration.md: every key with type, default, meaning and example, from its schema. */
export function renderConfigReference(kinds: readonly SourceKind[]): string {
  const schema = configJsonSchema(kinds);
  const parts = chapters.map((chapter) => renderChapter(chapter, schema));
  return `${[introduction, renderFirstKeys(schema), ...parts, renderSourceReference(kinds)].join('\n\n')}\n`;
}

interface Chapter {
  readonly title: string;
  /** Steps from the top. `*` is a name that the operator chooses. */
  readonly path: readonly string[];
  readonly text: string;
}

const chapters: readonly Chapter[] = [
  { title: 'The file', path: [], text: 'The keys at the top.' },
  {
    title: 'A connection',
    path: ['connections', '*'],
    text: 'Below `connections.<name>`. Give `applicationToken` and `refreshToken`, or a fixed `accessToken`.',
  },
  {
    title: 'The dialect',
    path: ['connections', '*', 'dialect'],
    text: 'Below `connections.<name>.dialect`: what the API contract does not define. For each property and the effect of a wrong value, see [platform-assumptions.md](platform-assumptions.md).',
  },
  { title: 'A sync', path: ['syncs', '*'], text: 'Below `syncs.<name>`.' },
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
    text: 'Below `syncs.<name>.guards`. A held class is not delivered until a person approves it; the other classes continue.',
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
  },
  {
    title: 'The server',
    path: ['server'],
    text: 'Below `server`: the HTTP API, the page and health. Their answers are described in [http-api.md](http-api.md).',
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
  \`# yaml-language-server: $schema=./node_modules/rollcall/schema/rollcall.schema.json\` in the first line.`;

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

function renderChapter({ title, path, text }: Chapter, schema: SchemaNode): string {
  const node = path.reduce<SchemaNode>(step, schema);
  return `## ${title}\n\n${wrap(text)}\n\n${renderKeys(rowsOf(node, path, [], schema))}`;
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
  return Object.entries(mapping?.properties ?? {}).flatMap(([key, child]) => {
    const isRequired = mapping?.required?.includes(key) === true;
    const path = [...above, key];
    const own = chapterAt([...chapter, ...path]);
    const row = { key: path.join('.'), node: child, isRequired, meaning: meaningOf(child, own) };
    if (own !== undefined) return [row];
    // The keys of a list's items: `tokens[].role`.
    const [below, at] = child.items === undefined ? [child, path] : [child.items, [...above, `${key}[]`]];
    return [row, ...rowsOf(below, chapter, at, schema)];
  });
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
