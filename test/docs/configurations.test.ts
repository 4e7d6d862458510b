import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { pageBlocks } from '../../scripts/docs/page-blocks.ts';
import { createExpressions } from '../../src/config/expressions.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { knownKinds } from '../../src/sources/kinds.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { readDocPages } from './doc-pages.ts';

interface WholeConfig {
  readonly where: string;
  readonly text: string;
}

/** Blocks with connections and syncs are whole configurations, and so is the file that the tutorial writes. */
const configs: readonly WholeConfig[] = (await readDocPages()).flatMap(({ path, text }) =>
  pageBlocks(text).flatMap((block) => {
    const written = /^cat > rollcall\.yaml <<'END'\n([\s\S]*?)^END$/m.exec(block.text)?.[1];
    const yaml = block.lang === 'yaml' ? block.text : written;
    return yaml !== undefined && /^connections:/m.test(yaml) && /^syncs:/m.test(yaml)
      ? [{ where: `${path} line ${block.start}`, text: yaml }]
      : [];
  }),
);

describe('a whole configuration in the documentation loads', () => {
  it('there are some', () => expect(configs.length).toBeGreaterThan(1));

  it.each(configs.map(({ where, text }) => [where, text]))('%s', async (_where, text) => {
    const folder = await temporaryFolder();
    const secret = Buffer.alloc(32, 7).toString('base64');
    const env: Record<string, string> = {};
    for (const [, name = ''] of text.matchAll(/\$\{env:(\w+)\}/g)) {
      env[name] = name.endsWith('URL') ? 'https://alerts.example.com' : secret;
    }
    for (const [, path = ''] of text.matchAll(/\$\{file:([^}]+)\}/g)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), `${secret}\n`);
    }
    await writeFile(join(folder, 'rollcall.yaml'), text);

    const config = await loadConfig(join(folder, 'rollcall.yaml'), {
      env,
      sourceKinds: knownKinds,
      expressions: createExpressions(),
    });

    expect(Object.keys(config.syncs)).toEqual(Object.keys((parse(text) as { readonly syncs: object }).syncs));
  });
});
