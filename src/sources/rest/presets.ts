import { join } from 'node:path';
import { parse } from 'yaml';
import { isRecord } from '../../drivers/http/json-text.ts';
import { readDocuments } from '../kit/starter.ts';

/** The HR systems whose settings are known. Each is a file of `presets`, with evidence in docs/sources/rest.md. */
export const presetNames = ['rippling', 'merge', 'deel', 'factorial', 'humaans', 'ukg'] as const;

/** The file of a preset within this folder. Its first document has keys of a `rest` source, the others are a starter. */
export function presetFile(name: string): string {
  return join('presets', `${name}.yaml`);
}

type Section = Readonly<Record<string, unknown>>;

/** Merges configured keys over the preset: mappings key by key, other values whole. Null removes a key. */
export function fillPreset(written: unknown): unknown {
  if (!isRecord(written)) return written;
  const keys = presetKeys(written.preset);
  return keys === undefined ? written : merge(keys, written);
}

/**
 * Returns the keys of a preset: of a known one by its name, or of a text that an operator wrote, which has line ends
 * (`${file:hr.yaml}`). Undefined for anything else, and for a text that is not a mapping of keys.
 */
export function presetKeys(preset: unknown): Section | undefined {
  if (typeof preset !== 'string') return undefined;
  const isKnown = presetNames.some((name) => name === preset);
  if (!isKnown && !preset.includes('\n')) return undefined;
  const text = isKnown ? readDocuments(join(import.meta.dirname, presetFile(preset)))[0] : preset;
  try {
    const keys: unknown = parse((text ?? '').split(/^---$/m, 1).join());
    return isRecord(keys) ? keys : undefined;
  } catch {
    return undefined;
  }
}

function merge(under: Section, over: Section): Section {
  const merged: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = under[key];
    if (value === null && below !== undefined) delete merged[key];
    else merged[key] = isRecord(value) && isRecord(below) && isSameSort(below, value) ? merge(below, value) : value;
  }
  return merged;
}

/** Sections of another style or kind have other keys, so none of them is kept. */
function isSameSort(below: Section, value: Section): boolean {
  return ['style', 'kind'].every((sort) => value[sort] === undefined || value[sort] === below[sort]);
}
