/** The values that are known. A property whose value may be unknown may be absent here. */
export type Given<Values extends object> = { readonly [Name in keyof Values as Sure<Values, Name>]: Values[Name] } & {
  readonly [Name in keyof Values as Unsure<Values, Name>]?: Exclude<Values[Name], undefined>;
};

type Sure<Values extends object, Name extends keyof Values> = undefined extends Values[Name] ? never : Name;
type Unsure<Values extends object, Name extends keyof Values> = undefined extends Values[Name] ? Name : never;

/** Leaves out the properties that are undefined: what is not given is absent. */
export function given<Values extends object>(values: Values): Given<Values> {
  const known: Partial<Values> = {};
  for (const name in values) if (values[name] !== undefined) known[name] = values[name];
  return known as unknown as Given<Values>;
}

/** Whether a value is a mapping of keys to values: neither a list nor a scalar. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
