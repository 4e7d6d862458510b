import { z } from 'zod';
import type { Source, SourceBase, SourceCapabilities, SourceKind, SourceStarter } from '../ports/source.ts';
import { messageFor, problemsOf } from './problem-messages.ts';

/** What a kind's `index.ts` says of itself. */
export interface KindDescription<C extends { readonly kind: string }> {
  readonly kind: string;
  readonly title: string;
  readonly capabilities: SourceCapabilities;
  /** The section `syncs.*.source`, strict: an unknown key is a misspelt one. Describe each key with `.meta`. */
  readonly config: z.ZodType<C>;
  readonly starters: readonly SourceStarter[];
  /** What a source of this configuration can do, where that depends on it; `open` gives a source of the same. */
  capabilitiesOf?(config: C): SourceCapabilities;
  /** Fills in what is not written (a preset), before anything is checked. Gives what it does not understand as it is. */
  fill?(written: unknown): unknown;
  /** Opens nothing that would have to be closed before the first read. */
  open(config: C, base: SourceBase): Source;
}

/** Makes a kind of source: its zod schema is the only place that knows its keys. */
export function defineKind<C extends { readonly kind: string }>(description: KindDescription<C>): SourceKind {
  const { kind, title, capabilities, config, starters } = description;
  return {
    kind,
    title,
    capabilities,
    starters,
    get schema() {
      return z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' }) as Readonly<Record<string, unknown>>;
    },
    parse(written) {
      const parsed = config.safeParse(description.fill?.(written) ?? written, { error: messageFor });
      if (parsed.success) {
        const capabilities = description.capabilitiesOf?.(parsed.data) ?? description.capabilities;
        return { ok: true, capabilities, open: (base) => description.open(parsed.data, base) };
      }
      return { ok: false, problems: problemsOf(parsed.error) };
    },
  };
}
