import { useEffect, useState } from 'preact/hooks'

const QUIET_MS = 200

/** The value after it was unchanged for a moment: input does not send a request at every key. */
export function useDebounced<T>(value: T): T {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(() => value), QUIET_MS)
    return () => clearTimeout(timer)
  }, [value])
  return debounced
}
