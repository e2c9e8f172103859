import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Nearer to the end than this, in pixels, counts as the end. */
const END_PX = 24

/**
 * Keeps a box at the end of what grows in it, until the user scrolls up. Lines out of sight have a height that is
 * only guessed, so the end also moves without scrolling: only upward movement comes from the user.
 */
export function useFollow() {
  const box = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const topPx = useRef(0)
  const [following, setFollowing] = useState(true)
  useLayoutEffect(() => {
    if (!following || content.current === null) return undefined
    const toEnd = () => box.current?.scrollTo({ top: box.current.scrollHeight, behavior: 'instant' })
    const watch = new ResizeObserver(toEnd)
    watch.observe(content.current)
    toEnd()
    return () => watch.disconnect()
  }, [following])
  const scrolled = () => {
    if (box.current === null) return
    const { scrollHeight, scrollTop, clientHeight } = box.current
    const upwards = scrollTop < topPx.current
    topPx.current = scrollTop
    if (scrollHeight - scrollTop - clientHeight < END_PX) setFollowing(true)
    else if (upwards) setFollowing(false)
  }
  return { box, content, following, scrolled, follow: () => setFollowing(true) }
}
