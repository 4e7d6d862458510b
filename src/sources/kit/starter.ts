import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { SourceStarter } from '../../ports/source.ts';

/** The head of a starter file. `samples` are files to place beside the configuration. */
const Head = z.strictObject({
  secrets: z.record(z.string(), z.string()).default({}),
  steps: z.array(z.string()).min(1),
  samples: z.array(z.strictObject({ path: z.string(), text: z.string() })).optional(),
});

/**
 * Reads a starter file: its last three YAML documents are the head, the section `source`, and the sections `mapping` and
 * `lifecycle`. The sections are kept as they are written, with their comments. `starter.yaml` is named after the kind,
 * `starter-v1.yaml` has the rest of its name added, and any other file is named as it is called.
 */
export function readStarter(folder: string, file: string, kind: string): SourceStarter {
  const [head = '', source = '', mapping = ''] = readDocuments(join(folder, file)).slice(-3);
  const { samples, ...others } = Head.parse(parse(head));
  const name = basename(file, '.yaml').replace(/^starter/, kind);
  return { name, source, mapping, ...others, ...(samples === undefined ? {} : { samples }) };
}

/** Returns the YAML documents of a file as they are written. */
export function readDocuments(path: string): readonly string[] {
  return readFileSync(path, 'utf8').split(/^---\n/m);
}
