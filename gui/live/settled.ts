import { useEffect, useState } from 'preact/hooks'

/** The debounced value: input does not send a request at every key. */
export function useSettled<T>(value: T, afterMs = 200): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(() => value), afterMs)
    return () => clearTimeout(timer)
  }, [value, afterMs])
  return settled
}
