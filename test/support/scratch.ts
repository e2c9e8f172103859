import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A directory of its own for one test, removed when the scope that holds it ends. */
export function scratchDirectory(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'twinfold-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) }
}

/** Long enough for a machine with many times more to do than it has cores: only a failure takes so long. */
const WAIT_MS_MAX = 60_000

/** The first question is repeated so soon, and every one about a state that passes. */
export const POLL_MS = 20
/** A question to a daemon takes 4 ms of the processor: the longer the wait, the rarer they are. */
const POLL_MS_MAX = 200
const POLL_SHARE = 0.2

/** Polls until the result is defined, for at most `limitMs`; then fails with the description. */
export async function eventually<T>(
  what: string,
  ask: () => T | undefined | Promise<T | undefined>,
  limitMs = WAIT_MS_MAX,
  pollMsMax = POLL_MS_MAX,
): Promise<T> {
  const startedMs = performance.now()
  let waitedMs = 0
  let last: unknown
  do {
    try {
      const answer = await ask()
      if (answer !== undefined) return answer
    } catch (error) {
      last = error
    }
    const pauseMs = Math.min(Math.max(POLL_MS, waitedMs * POLL_SHARE), pollMsMax)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    waitedMs = performance.now() - startedMs
  } while (waitedMs < limitMs)
  throw new Error(`waited ${limitMs} ms in vain for: ${what}`, { cause: last })
}
