const DEVICE_ID = /^[A-Z2-7]{7}(-[A-Z2-7]{7}){7}$/

/**
 * What JSON of theirs has and ours has not, or has as something else; more of ours is welcome. Lists are compared by
 * their first items, and so are objects with a device for a key: which devices there are is not a matter of shape.
 * `without` names paths that are left out.
 */
export function missingIn(
  ours: unknown,
  theirs: unknown,
  without: ReadonlySet<string> = new Set(),
  path = '',
): readonly string[] {
  if (without.has(path)) return []
  if (kindOf(ours) !== kindOf(theirs)) return [`${path}: ${kindOf(ours)} instead of ${kindOf(theirs)}`]
  if (typeof theirs !== 'object' || theirs === null || typeof ours !== 'object' || ours === null) return []
  const pairs = Array.isArray(theirs) ? firstItems(ours, theirs) : fields(ours, theirs)
  return pairs.flatMap(([key, own, other]) => {
    const inner = path === '' ? key : `${path}.${key}`
    if (without.has(inner)) return []
    return own === undefined ? [`${inner} is missing`] : missingIn(own, other, without, inner)
  })
}

type Pairs = readonly (readonly [key: string, ours: unknown, theirs: unknown])[]

function firstItems(ours: object, theirs: readonly unknown[]): Pairs {
  return theirs.length > 0 && Array.isArray(ours) && ours.length > 0 ? [['0', ours[0], theirs[0]]] : []
}

function fields(ours: object, theirs: object): Pairs {
  const entries = Object.entries(theirs)
  if (entries.length > 0 && entries.every(([key]) => DEVICE_ID.test(key)))
    return [['*', Object.values(ours)[0], entries[0]![1]]]
  return entries.map(([key, value]) => [key, Reflect.get(ours, key), value])
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value
}
