import { useEffect, useState } from 'preact/hooks'

const QUIET_MS = 250

/** The debounced value: input does not send a request for each letter. */
export function useLater<T>(value: T): T {
  const [later, setLater] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), QUIET_MS)
    return () => clearTimeout(timer)
  }, [value])
  return later
}
