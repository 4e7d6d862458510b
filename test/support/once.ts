/** Makes a thing at the first call and gives the same one ever after, for what is costly to make and no test changes. */
export function once<T, A extends readonly unknown[]>(make: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
  let made: Promise<T> | undefined;
  return (...args) => {
    made ??= make(...args);
    return made;
  };
}
