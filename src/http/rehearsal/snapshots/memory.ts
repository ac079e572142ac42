// What a service remembers between requests, so that it can be forgotten with what it was about.

/** Something of many parts that can be begun anew, while those who hold a part go on holding it. */
export interface Forgettable<Kept extends object> {
  readonly kept: Kept;
  /** Begins all parts anew. */
  forget(): void;
}

/** @param create makes all parts, each an object of functions */
export function forgettable<Kept extends object>(create: () => Kept): Forgettable<Kept> {
  let current = create();
  const partOf = (name: keyof Kept) =>
    new Proxy({}, { get: (_target, key) => Reflect.get(current[name] as object, key) });
  const names = Object.keys(current) as (keyof Kept)[];
  return {
    kept: Object.fromEntries(names.map((name) => [name, partOf(name)])) as Kept,
    forget() {
      current = create();
    },
  };
}
