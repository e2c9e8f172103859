/** The entry of a map from JSON. An id such as `constructor` is a key like any other, and not a member of objects. */
export function lookUp<T>(map: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined
}
