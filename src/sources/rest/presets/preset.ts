import type { SourceStarter } from '../../../ports/source.ts';
import type { PresetName } from './names.ts';

/** Known settings of one HR system's API, as configuration. Evidence: docs/sources/rest.md. */
export interface RestPreset {
  readonly name: PresetName;
  /** Keys of a `rest` source, as an operator would write them. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly starter: SourceStarter;
}
