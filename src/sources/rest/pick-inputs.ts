import { compileSourcePath, compileVisibility } from '../../core/person/source-path.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import type { FieldSettings } from './list-schema.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Names what a pick reads inside the elements of its list: `employments[].start_date`. A right to one of them that is
 * withdrawn shows nowhere else: no element matches `where`, which looks as if there were none, or another
 * element is chosen.
 */
export function pickInputs(settings: FieldSettings): readonly string[] {
  return innerPaths(settings).map((path) => nameOf(settings, path));
}

/** Compiles which of these inputs the elements of one record show, by name. */
export function compilePickInputs(settings: FieldSettings): (fields: Fields) => readonly string[] {
  const read = compileSourcePath(settings.from);
  const inputs = innerPaths(settings).map((path) => ({ name: nameOf(settings, path), isIn: compileVisibility(path) }));
  if (inputs.length === 0) return () => [];
  return (fields) => {
    const found = read(fields);
    const elements = (Array.isArray(found) ? found : [found]).filter(isRecord);
    return inputs.filter(({ isIn }) => elements.some((element) => isIn(element))).map(({ name }) => name);
  };
}

function innerPaths(settings: FieldSettings): readonly string[] {
  const { where = {}, prefer = {}, latest, take }: Partial<Extract<FieldSettings, { take?: unknown }>> = settings;
  const single = [latest, take].filter((path) => path !== undefined);
  return [...new Set([...Object.keys(where), ...Object.keys(prefer), ...single])];
}

function nameOf({ from }: FieldSettings, path: string): string {
  return `${from}[].${path}`;
}
