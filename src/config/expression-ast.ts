/** The part of JSONata's syntax tree that this code uses. JSONata's own types omit most of it. */
export interface ExpressionNode {
  readonly type: string;
  readonly value?: unknown;
  readonly steps?: readonly ExpressionNode[];
  readonly lhs?: ExpressionNode | readonly (readonly [ExpressionNode, ExpressionNode])[];
  readonly rhs?: ExpressionNode;
  readonly condition?: ExpressionNode;
  readonly then?: ExpressionNode;
  readonly else?: ExpressionNode;
  readonly procedure?: ExpressionNode;
  readonly arguments?: readonly ExpressionNode[];
  readonly expressions?: readonly ExpressionNode[];
  readonly expression?: ExpressionNode;
  readonly body?: ExpressionNode;
}

/** Returns whether the node is a variable for the whole record: `$` or `$$`. */
export function isRecordVariable(node: ExpressionNode | undefined): boolean {
  return node?.type === 'variable' && (node.value === '' || node.value === '$');
}
