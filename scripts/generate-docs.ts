import { readFile, writeFile } from 'node:fs/promises';
import { renderCodesReference } from '../src/cli/commands/codes.ts';
import { renderCliReference } from '../src/cli/render-reference.ts';
import { renderJsonSchema } from '../src/config/json-schema.ts';
import { renderConfigReference } from '../src/config/reference.ts';
import { listApiOperations } from '../src/platform/named-operations.ts';
import { describeApi } from '../src/server/open-api.ts';
import { renderRunbookList } from '../src/server/runbook.ts';
import { sourceKinds } from '../src/sources/registry.ts';
import { renderMetricsReference } from '../src/watch/metrics/metrics-reference.ts';
import { renderSandboxCoverage } from '../test/support/conforming-sandbox.ts';
import { renderChartReadme } from './chart/readme.ts';
import { renderValuesSchema } from './chart/values-schema.ts';
import { renderConfusables } from './generate-confusables.ts';
import { renderLicenses } from './licenses/render.ts';
import { renderApiTypes } from './web/generate-api-types.ts';

const root = new URL('../', import.meta.url);

/** Files that are generated, and from what: `npm run docs` writes them, tests compare them. */
const generated: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/configuration.md': () => renderConfigReference(sourceKinds),
  'docs/cli.md': () => renderCliReference(listApiOperations()),
  'docs/codes.md': renderCodesReference,
  'docs/licenses.md': renderLicenses,
  'docs/metrics.md': renderMetricsReference,
  // A part of the file.
  'docs/operations.md': async () => renderRunbookList(await readFile(new URL('docs/operations.md', root), 'utf8')),
  'docs/platform-api-coverage.md': renderSandboxCoverage,
  'src/web/api/schema.ts': () => renderApiTypes(describeApi('')),
  'src/core/person/confusables.ts': renderConfusables,
  'helm/rollcall/values.schema.json': () => renderValuesSchema(sourceKinds),
  // After the schema, whose types it shows.
  'helm/rollcall/README.md': renderChartReadme,
  'schema/rollcall.schema.json': () => renderJsonSchema(sourceKinds),
};

for (const [path, render] of Object.entries(generated)) await writeFile(new URL(path, root), await render());
