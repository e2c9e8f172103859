import { client, collectUndo } from '../live/client.ts'

/** The tokens of what an action has changed: one request undoes it, or the daemon refuses. */
export type Undo = readonly string[]

interface StoredUndo {
  readonly text: string
  readonly tokens: Undo
}

const KEY = 'twinfold-undo'

/** Runs an action. Resolves to what undoes it; undefined if there is nothing to undo. */
export async function changeWithUndo(doing: () => Promise<unknown>): Promise<Undo | undefined> {
  const tokens = await collectUndo(doing)
  return tokens.length === 0 ? undefined : tokens
}

export async function undoAction(tokens: Undo): Promise<void> {
  storeUndo(undefined)
  await client.call('POST /rest/twinfold/undo', { body: { tokens }, timeoutMs: undefined })
}

/** Keeps the latest undo for the page after a reload. */
export function storeUndo(undo: StoredUndo | undefined): void {
  try {
    if (undo === undefined) sessionStorage.removeItem(KEY)
    else sessionStorage.setItem(KEY, JSON.stringify(undo))
  } catch {
    // A browser may forbid it: then it is offered until the page is reloaded.
  }
}

export function storedUndo(): StoredUndo | undefined {
  try {
    const { text, tokens } = JSON.parse(sessionStorage.getItem(KEY) ?? '{}')
    return typeof text === 'string' && Array.isArray(tokens) ? { text, tokens } : undefined
  } catch {
    return undefined
  }
}
