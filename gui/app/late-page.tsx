import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useLive } from '../live/live.ts'
import { Skeleton } from '../ui/parts.tsx'

/** A page that is loaded when it is opened for the first time, and again after the daemon was unreachable. */
export function latePage<P extends object>(load: () => Promise<ComponentType<P>>) {
  let known: ComponentType<P> | undefined
  return function LatePage(props: P) {
    const [Loaded, setLoaded] = useState<ComponentType<P> | undefined>(() => known)
    const isLive = useLive((state) => state.link === 'live')
    useEffect(() => {
      if (known !== undefined) return
      const show = (page: ComponentType<P>) => {
        known = page
        setLoaded(() => page)
      }
      load().then(show, () => undefined) // the bar above tells why
    }, [isLive])
    return Loaded === undefined ? <Skeleton lines={6} /> : <Loaded {...props} />
  }
}
