import { z } from 'zod';
import type { MappingSamples, SyncMapping } from '../../app/sync-mapping.ts';
import { count, instant } from '../schema.ts';

const share = z.number().min(0).max(1);

export const syncMapping = z.object({
  sync: z.string(),
  source: z.string().meta({ description: 'Kind of the source' }),
  scope: z
    .string()
    .nullable()
    .meta({ description: 'The expression that selects the employees of the sync; null: all' }),
  readAt: instant.nullable().meta({ description: 'The read that the fill-rates are of; null: none was accepted yet' }),
  rows: count.nullable(),
  fields: z.array(
    z.object({
      field: z.string(),
      kind: z.enum(['from', 'value', 'expression']),
      origin: z.string().meta({ description: 'The source field, the fixed value, or the expression' }),
      transforms: z.array(z.string()),
      format: z.string().nullable().meta({ description: 'Format of a date in the source' }),
      whenEmpty: z.enum(['keep', 'clear']),
      reads: z.array(z.string()).meta({ description: 'Source fields that the rule reads' }),
      unseen: z.array(z.string()).meta({ description: 'The source fields that no record of the read showed' }),
      fillRate: share.nullable().meta({ description: 'Share of people with a value; null: not known' }),
    }),
  ),
  managed: count.meta({ description: 'Users that the sync owns' }),
  enabled: count.meta({ description: 'Owned users whom Rollcall has not disabled' }),
  guards: z.array(
    z.object({
      class: z.string(),
      absolute: count,
      percent: z.number(),
      cap: count.nullable(),
      allowed: count.meta({ description: 'How many changes pass in 24 hours without approval' }),
      used: count.meta({ description: 'Changes of the last 24 hours without approval' }),
    }),
  ),
});

export const mappingSamples = z.object({
  records: z.array(
    z.object({
      at: z.string().meta({ description: 'Position in the source' }),
      values: z.array(z.object({ field: z.string(), effect: z.string(), value: z.string() })),
    }),
  ),
});

export function syncMappingView({ read, fields, guards, scope, ...rest }: SyncMapping): z.input<typeof syncMapping> {
  return {
    ...rest,
    scope: scope ?? null,
    readAt: read === undefined ? null : new Date(read.at).toISOString(),
    rows: read?.rows ?? null,
    fields: fields.map(({ field, rule, reads, unseen, fillRate }) => ({
      field,
      kind: rule.kind,
      origin: rule.kind === 'from' ? rule.path : rule.kind === 'value' ? rule.value : rule.expression,
      transforms: [...rule.transform],
      format: rule.format ?? null,
      whenEmpty: rule.whenEmpty,
      reads: [...reads],
      unseen: [...unseen],
      fillRate: fillRate ?? null,
    })),
    guards: guards.map(({ class: name, threshold: { absolute, percent, cap }, allowed, used }) => {
      return { class: name, absolute, percent, cap: cap ?? null, allowed, used };
    }),
  };
}

export function mappingSamplesView({ records }: MappingSamples): z.input<typeof mappingSamples> {
  return {
    records: records.map(({ at, steps }) => ({
      at,
      values: steps.map(({ target, effect, detail }) => ({ field: target, effect, value: detail })),
    })),
  };
}
