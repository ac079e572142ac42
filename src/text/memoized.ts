/**
 * Makes a thing once for each name, and keeps it: for things that are dear to make and few. A format of a
 * language takes tens of kilobytes outside the heap, which the collector does not see.
 */
export function memoized<Made>(make: (name: string, variant: string) => Made) {
  const made = new Map<string, Made>();
  return (name: string, variant = ''): Made => {
    const key = variant === '' ? name : `${name} ${variant}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    const fresh = make(name, variant);
    made.set(key, fresh);
    return fresh;
  };
}
