import { deel } from './deel.ts';
import { factorial } from './factorial.ts';
import { humaans } from './humaans.ts';
import { merge } from './merge.ts';
import type { RestPreset } from './preset.ts';
import { rippling } from './rippling.ts';
import { ukg } from './ukg.ts';

/** Every preset. */
export const presets: readonly RestPreset[] = [rippling, merge, deel, factorial, humaans, ukg];
