import { useEffect, useState } from 'preact/hooks'

/** The value as it was once nobody had changed it for a while: what is typed is not asked about at every key. */
export function useSettled<T>(value: T, afterMs = 200): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(() => value), afterMs)
    return () => clearTimeout(timer)
  }, [value, afterMs])
  return settled
}
