import type { SourceStarter } from '../../../ports/source.ts';

/** Known settings of one HR system's API, as configuration. Evidence: docs/sources/rest.md. */
export interface RestPreset {
  /** The name in the configuration, and of the starter. */
  readonly name: string;
  /** Keys of a `rest` source, as an operator would write them. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly starter: Omit<SourceStarter, 'name'>;
}

/** Returns entries of `fields` that make plain dates of fields, under their own names. */
export function plainDates(...names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.map((name) => [name, { from: name, date: true }]));
}
