import { z } from 'zod';
import { proxyProblem } from '../../core/run/addresses.ts';
import { type RollcallError, usageError } from '../../core/run/errors.ts';
import { messageFor, problemsOf } from '../../core/run/problem-words.ts';
import { egressWith } from '../../drivers/http/egress.ts';
import type { Source, SourceBase, SourceCapabilities, SourceKind } from '../../ports/source.ts';
import { readStarter } from './starter.ts';

/** A source without what its description says. `fields` is absent where they are known only after a read. */
export type OpenedSource = Pick<Source, 'read' | 'derives' | 'looksUp'> & Partial<Pick<Source, 'fields'>>;

/** Describes a kind of source, as its `index.ts` declares it. */
export interface KindDescription<C extends { readonly kind: string }> {
  readonly kind: string;
  readonly title: string;
  readonly capabilities: SourceCapabilities;
  /** The section `syncs.*.source`. Strict: an unknown key is a misspelling. Describe each key with `.meta`. */
  readonly config: z.ZodType<C>;
  /** The folder of the kind, with its starter files. */
  readonly folder: string;
  /** Starter files. Default: `starter.yaml`. */
  readonly starters?: readonly string[];
  /** Whether the kind speaks HTTP, so that `proxy` is a key of its section. Default: true. */
  readonly isHttp?: boolean;
  /** Returns the capabilities that depend on the configuration. */
  capabilitiesOf?(config: C): Partial<SourceCapabilities>;
  /** Fills in defaults (a preset) before validation. Returns input that it does not understand unchanged. */
  fill?(written: unknown): unknown;
  /** Opens no resource that must be closed before the first read. */
  open(config: C, base: SourceBase): OpenedSource;
}

/** Defines a kind of source. Its zod schema is the only definition of its keys. */
export function defineKind<C extends { readonly kind: string }>(description: KindDescription<C>): SourceKind {
  const { kind, title, capabilities, config, folder, starters = ['starter.yaml'], isHttp = true } = description;
  return {
    kind,
    title,
    capabilities,
    get starters() {
      return starters.map((file) => readStarter(folder, file, kind));
    },
    get schema() {
      const schema = z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
      return isHttp ? withProxyKey(schema) : schema;
    },
    parse(given) {
      const { proxy, written } = isHttp ? withoutProxy(given) : { proxy: undefined, written: given };
      const parsed = config.safeParse(description.fill?.(written) ?? written, { error: messageFor });
      const fault = proxy === undefined ? undefined : typeof proxy === 'string' ? proxyProblem(proxy) : 'must be text';
      const problems = fault === undefined ? [] : [{ path: ['proxy'], message: fault }];
      if (!parsed.success) {
        const found = problemsOf(parsed.error.issues).map(({ path, message }) => ({ path, message }));
        return { ok: false, problems: [...found, ...problems] };
      }
      if (problems.length > 0) return { ok: false, problems };
      const own = { ...capabilities, ...description.capabilitiesOf?.(parsed.data) };
      const open = (base: SourceBase): Source => {
        const egress = egressWith(proxy as string | undefined, base.egress);
        const route = egress === undefined ? {} : { egress };
        const { read, fields, ...more } = description.open(parsed.data, { ...base, ...route });
        return {
          kind,
          capabilities: own,
          ...more,
          async *read(request, io) {
            if (request.kind === 'delta' && !own.delta) throw noDelta(kind);
            return yield* read(request, { ...io, ...route });
          },
          fields: async (io) => fields?.({ ...io, ...route }),
        };
      };
      return { ok: true, capabilities: own, open };
    },
  };
}

function noDelta(kind: string): RollcallError {
  const message = `this source is always read completely: with this configuration, ${kind} has no delta (docs/sources/${kind}.md)`;
  return usageError(message);
}

type JsonSchema = Readonly<Record<string, unknown>>;

const proxyKey = {
  type: 'string',
  description:
    'HTTP proxy to the HR system (a tunnel for SFTP), such as `http://user:password@proxy.example.com:3128`; `none` for no proxy. Absent: `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` of the environment.',
};

/** Adds the key to every form of the section. */
function withProxyKey(schema: JsonSchema): JsonSchema {
  const forms = ['anyOf', 'oneOf'].filter((key) => Array.isArray(schema[key]));
  const below = forms.map((key) => [key, (schema[key] as readonly JsonSchema[]).map(withProxyKey)] as const);
  const { properties } = schema;
  const own = typeof properties === 'object' ? { properties: { ...properties, proxy: proxyKey } } : {};
  return { ...schema, ...own, ...Object.fromEntries(below) };
}

function withoutProxy(given: unknown): { readonly proxy: unknown; readonly written: unknown } {
  if (typeof given !== 'object' || given === null || !('proxy' in given)) return { proxy: undefined, written: given };
  const { proxy, ...written } = given;
  return { proxy, written };
}
