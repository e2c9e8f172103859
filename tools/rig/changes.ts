import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Rig } from './build.ts'

const SECOND_MS = 1_000
/** Files that are changed in turn. */
const FILES = 200

/** Changes files of the large directory, `perSecond` of them, and scans them, until the signal aborts. */
export async function changeFiles({ desk, large }: Rig, perSecond: number, signal: AbortSignal): Promise<number> {
  let changes = 0
  if (!(perSecond > 0)) return changes
  while (!signal.aborted) {
    const begunMs = performance.now()
    const names = Array.from(
      { length: perSecond },
      () => `all/reading ${String(changes++ % FILES).padStart(5, '0')}.txt`,
    )
    for (const name of names) writeFileSync(join(large, name), `${performance.now()} ${changes}`)
    const subs = names.map((name) => `&sub=${encodeURIComponent(name)}`)
    await desk.daemon.post(`/rest/db/scan?folder=measurements${subs.join('')}`)
    const leftMs = Math.max(0, SECOND_MS - (performance.now() - begunMs))
    await sleep(leftMs, undefined, { signal }).catch(() => undefined)
  }
  return changes
}
