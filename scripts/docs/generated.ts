import { readFile } from 'node:fs/promises';
import { listApiOperations } from '../../src/platform/table/parameters.ts';
import { describeApi } from '../../src/server/open-api.ts';
import { sourceKinds } from '../../src/sources/registry.ts';
import { renderSandboxCoverage } from '../../test/support/conforming-sandbox.ts';
import { renderChartReadme } from '../chart/readme.ts';
import { renderValuesSchema } from '../chart/values-schema.ts';
import { renderConfusables } from '../generate-confusables.ts';
import { renderLicenses } from '../licenses/render.ts';
import { renderApiTypes } from '../web/generate-api-types.ts';
import { renderCliReference } from './cli-reference.ts';
import { renderCodesReference, renderRunbookList } from './codes-reference.ts';
import { renderConfigReference } from './config-reference.ts';
import { renderJsonSchema } from './config-schema.ts';
import { renderMetricsReference } from './metrics-reference.ts';
import { renderSourceReference } from './source-reference.ts';

const root = new URL('../../', import.meta.url);

/** Files that are generated, and from what: `npm run docs` writes them, a test compares them. */
export const generated: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/configuration.md': () => renderConfigReference(sourceKinds),
  'docs/sources/keys.md': () => renderSourceReference(sourceKinds),
  'docs/cli.md': () => renderCliReference(listApiOperations()),
  'docs/codes.md': renderCodesReference,
  'docs/licenses.md': renderLicenses,
  'docs/metrics.md': renderMetricsReference,
  // A part of the file.
  'docs/operations.md': async () => renderRunbookList(await readFile(new URL('docs/operations.md', root), 'utf8')),
  'docs/platform-api-coverage.md': renderSandboxCoverage,
  'src/web/api/schema.d.ts': () => renderApiTypes(describeApi('')),
  'src/core/person/confusables.json': renderConfusables,
  'helm/rollcall/values.schema.json': () => renderValuesSchema(sourceKinds),
  // After the schema, whose types it shows.
  'helm/rollcall/README.md': renderChartReadme,
  'schema/rollcall.schema.json': () => renderJsonSchema(sourceKinds),
};
