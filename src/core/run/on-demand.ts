/** Makes each part when it is first used, and keeps it: a command uses some of them. */
export function onDemand<Parts extends object>(make: { readonly [Name in keyof Parts]: () => Parts[Name] }): Parts {
  const parts = {};
  for (const name of Object.keys(make) as (keyof Parts)[]) {
    const get = (): Parts[keyof Parts] => {
      const value = make[name]();
      Object.defineProperty(parts, name, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(parts, name, { get, enumerable: true, configurable: true });
  }
  return parts as Parts;
}
