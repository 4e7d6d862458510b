import type { RecordValue } from '../run/settings.ts';
import type { CompiledExpression, ExpressionCompiler } from './field-rule.ts';
import { compileSourcePath } from './source-path.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A value of a record: a field, or the result of an expression, which is evaluated before. */
export interface RecordInput {
  /** Name for messages: the source field, or the key of the configuration that has the expression. */
  readonly name: string;
  readonly reads: readonly string[];
  /** `computed`: the results of all expressions of `RecordInputs`, in order. */
  get(fields: Fields, computed: readonly unknown[]): unknown;
}

/** Compiles values and collects their expressions. */
export interface RecordInputs {
  /** The expressions to evaluate on each record. */
  readonly expressions: readonly CompiledExpression[];
  /** `key`: where the value is configured, such as `lifecycle.status`. */
  compile(key: string, value: RecordValue): RecordInput;
}

/** Opens the inputs of one part of the configuration. `start`: number of results that precede those of this part. */
export function openRecordInputs(compiler: ExpressionCompiler | undefined, start = 0): RecordInputs {
  const expressions: CompiledExpression[] = [];
  return {
    expressions,
    compile(key, value) {
      if (typeof value === 'string') return { name: value, reads: [value], get: compileSourcePath(value) };
      if (compiler === undefined) throw new RangeError(`${key} is an expression, which needs a compiler`);
      const place = start + expressions.length;
      const compiled = compiler.compile(value.expression);
      expressions.push(compiled);
      return { name: key, reads: compiled.reads, get: (_, computed) => computed[place] };
    },
  };
}
