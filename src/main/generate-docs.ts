import { writeFile } from 'node:fs/promises';
import { renderCliReference } from '../cli/render-reference.ts';
import { renderJsonSchema } from '../config/json-schema.ts';
import { renderConfigReference } from '../config/reference.ts';
import { sourceKinds } from '../sources/registry.ts';
import { renderMetricsReference } from '../telemetry/metrics-reference.ts';
import { renderSandboxCoverage } from './conforming-sandbox.ts';
import { extraCommands } from './extra-commands.ts';
import { openProcessIo } from './process-io.ts';

// The commands that only the executable adds are in the reference too.
const io = openProcessIo(process, new AbortController().signal);

/** Files that are generated, and from what: `npm run docs` writes them, tests compare them. */
const generated: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/configuration.md': () => renderConfigReference(sourceKinds),
  'docs/cli.md': () => renderCliReference(extraCommands(io)),
  'docs/metrics.md': renderMetricsReference,
  'docs/platform-api-coverage.md': renderSandboxCoverage,
  'schema/rollcall.schema.json': () => renderJsonSchema(sourceKinds),
};

const root = new URL('../../', import.meta.url);
for (const [path, render] of Object.entries(generated)) await writeFile(new URL(path, root), await render());
