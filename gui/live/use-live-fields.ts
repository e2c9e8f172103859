import type { DeviceConfig } from '../../src/core/config/config.ts'
import { useRef } from 'preact/hooks'
import { useLive } from './live.ts'
import type { LiveState } from './state.ts'

/**
 * Facts of the state, as one flat object; the component renders again only when a field of it changes. `select` must
 * take what it needs from the state itself, not from the component.
 */
export function useLiveFields<F extends object>(select: (state: LiveState) => F): F {
  const last = useRef<F | undefined>(undefined)
  return useLive((state) => {
    const next = select(state)
    if (last.current === undefined || !isSame(last.current, next)) last.current = next
    return last.current
  })
}

function isSame(one: object, other: object): boolean {
  const [left, right] = [Object.entries(one), new Map(Object.entries(other))]
  return left.length === right.size && left.every(([name, value]) => Object.is(value, right.get(name)))
}

/** The other devices, as the config lists them. */
export function useOtherDevices(): readonly DeviceConfig[] {
  const devices = useLive((state) => state.config?.devices)
  const localId = useLive((state) => state.system?.myID)
  return devices?.filter(({ deviceID }) => deviceID !== localId) ?? []
}
