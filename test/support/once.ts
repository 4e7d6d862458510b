/** Makes a thing at the first call and gives the same one ever after, for what is costly to make and no test changes. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
