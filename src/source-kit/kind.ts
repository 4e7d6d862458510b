import { z } from 'zod';
import type { Source, SourceBase, SourceCapabilities, SourceKind, SourceStarter } from '../ports/source.ts';
import { messageFor, problemsOf } from './problem-messages.ts';

/** Describes a kind of source, as its `index.ts` declares it. */
export interface KindDescription<C extends { readonly kind: string }> {
  readonly kind: string;
  readonly title: string;
  readonly capabilities: SourceCapabilities;
  /** The section `syncs.*.source`. Strict: an unknown key is a misspelling. Describe each key with `.meta`. */
  readonly config: z.ZodType<C>;
  readonly starters: readonly SourceStarter[];
  /**
   * Capabilities of a source with this configuration, where they depend on it. `open` returns a source with the same
   * ones.
   */
  capabilitiesOf?(config: C): SourceCapabilities;
  /** Fills in defaults (a preset) before validation. Returns input that it does not understand unchanged. */
  fill?(written: unknown): unknown;
  /** Opens no resource that must be closed before the first read. */
  open(config: C, base: SourceBase): Source;
}

/** Defines a kind of source. Its zod schema is the only definition of its keys. */
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
