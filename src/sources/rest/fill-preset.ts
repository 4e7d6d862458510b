import { isRecord } from '../../drivers/http/json-text.ts';
import { presets } from './presets/index.ts';

/** Merges configured keys over the preset: mappings key by key, other values whole. Null removes a key. */
export function fillPreset(written: unknown): unknown {
  if (!isRecord(written)) return written;
  const preset = presets.find(({ name }) => name === written.preset);
  return preset === undefined ? written : merge(preset.config, written);
}

type Section = Readonly<Record<string, unknown>>;

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
