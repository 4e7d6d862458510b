import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { TextlintKernel, type TextlintKernelOptions } from '@textlint/kernel';
import type { TextlintPluginCreator } from '@textlint/types';
import { rules } from './rules.ts';
import { sourceProse } from './source-prose.ts';

// A CommonJS module whose `default` Node and the test runner import differently.
const markdown: { readonly default: TextlintPluginCreator } = createRequire(import.meta.url)(
  '@textlint/textlint-plugin-markdown',
);

/** Pages, and files with comments or messages. Decision records stay as they were decided. */
const patterns = [
  'README.md',
  'docs/**/*.md',
  'src/**/*.ts',
  'src/**/codes.json',
  'src/watch/metrics/metrics.json',
  'src/sandbox/faults/fault-kinds.json',
  'src/web/texts/en/*.json',
  'jobs/**/*.ts',
  'helm/rollcall/**/*.{yaml,tpl,txt}',
];
const excluded = /^docs\/(?:decisions\/|licenses\.md)|\.test\.|dashboard-(?:script|style)|^helm\/rollcall\/ci\//;

/** A place that breaks a rule. */
export interface Offence {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  readonly message: string;
}

export function proseFiles(root: string): readonly string[] {
  return globSync(patterns, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !excluded.test(path) && !path.includes('node_modules'))
    .toSorted();
}

/** Returns the offences of a text. `path` decides how it is read. */
export async function lintText(path: string, text: string): Promise<readonly Offence[]> {
  const result = await new TextlintKernel().lintText(text, { ...options, ext: extname(path), filePath: path });
  return result.messages.map(({ ruleId, line, message }) => ({ path, line, rule: ruleId, message }));
}

export async function lintFiles(root: string, paths: readonly string[]): Promise<readonly Offence[]> {
  const found: Offence[] = [];
  for (const path of paths) found.push(...(await lintText(path, readFileSync(join(root, path), 'utf8'))));
  return found;
}

const options: Pick<TextlintKernelOptions, 'plugins' | 'rules'> = {
  plugins: [
    { pluginId: 'markdown', plugin: markdown.default },
    { pluginId: 'source', plugin: sourceProse },
  ],
  rules: Object.entries(rules).map(([ruleId, rule]) => ({ ruleId, rule })),
};
