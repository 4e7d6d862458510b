import type { Schemas } from '../../api/schema.ts';

export type RunDetail = Schemas['RunDetail'];
