/**
 * Runs `action` for every item in order, `atOnce` at a time. Rejects with the first failure, after all started have
 * ended.
 */
export async function forEachAtOnce<T>(
  items: Iterable<T>,
  atOnce: number,
  action: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = []
  const rest = items[Symbol.iterator]()
  const worker = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true && failures.length === 0; next = rest.next()) {
      try {
        await action(next.value)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  if (failures.length > 0) throw failures[0]
}
