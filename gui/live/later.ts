import { useEffect, useState } from 'preact/hooks'

const QUIET_MS = 250

/** The value once it has not changed for a moment: what is typed is not asked for letter by letter. */
export function useLater<T>(value: T): T {
  const [later, setLater] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), QUIET_MS)
    return () => clearTimeout(timer)
  }, [value])
  return later
}
