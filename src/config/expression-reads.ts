import { type ExpressionNode, isRecordVariable } from './expression-ast.ts';

/**
 * Returns the top-level field names that an expression reads, each once, in order of appearance. Names in a later step
 * or in a filter belong to the result of the first step and are left out. Wildcards cannot be resolved.
 */
export function expressionReads(root: ExpressionNode): readonly string[] {
  const names = new Set<string>();
  const visit = (node: ExpressionNode | undefined): void => {
    if (node === undefined) return;
    if (node.type === 'path') visitPath(node.steps ?? []);
    else for (const child of childrenOf(node)) visit(child);
  };
  const visitPath = (steps: readonly ExpressionNode[]): void => {
    const [first, second] = steps;
    const step = isRecordVariable(first) && second !== undefined ? second : first;
    if (step?.type === 'name') names.add(String(step.value));
    else visit(step);
  };
  visit(root);
  return [...names];
}

function childrenOf(node: ExpressionNode): readonly (ExpressionNode | undefined)[] {
  const { lhs } = node;
  const left = lhs === undefined || 'type' in lhs ? [lhs] : lhs.flat();
  const { rhs, condition, procedure, expression, body } = node;
  const several = [...(node.arguments ?? []), ...(node.expressions ?? [])];
  return [...left, rhs, condition, node.then, node.else, procedure, expression, body, ...several];
}
