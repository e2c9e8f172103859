import type { Event } from '../../src/events/types.ts'

/** Sometimes-assertions: situations that the seeds must reach, as a simulation that avoids them tests too little. */
export const SOMETIMES = [
  'a conflict copy was made',
  'a device lost power while it pulled',
  'a device lost power while it scanned',
  'a user changed a file in the middle of a pull',
  'a user changed a file in the instant of its replacement',
  'a device lost power after an edit in the instant of a replacement',
  'a deletion was pulled',
  'a directory was pulled',
  'a symlink was pulled',
  'only mode or time was pulled',
  'an item failed and was retried',
  'a scan was requested while the folder was pulling',
  'a disk call failed',
  'a scan could not read a directory',
  'a disk was full',
  'a disk returned corrupt data',
  'a device served corrupt blocks',
  'a connection was cut',
  'devices were partitioned',
  'a clock was set back',
  'a clock was set forward',
  'a device was stopped and restarted',
  'an index was lost',
  'an index was unreadable',
  'a home was restored from a backup',
  'a folder was restored from a backup',
  'a temporary file was left by a crash',
  'a file of several blocks was pulled',
  'a temporary file was reused',
  'blocks were taken from the old version of a file',
  'blocks were taken from another file',
  'a file was renamed instead of fetched',
  'a watched folder was changed',
  'a folder entered and left the error state',
  'two devices created the same file concurrently',
  'a send-only folder was overridden',
  'a receive-only folder was reverted',
  'an old version was kept',
  'a file was deleted concurrently while a third device was offline',
  'a pull was interrupted, and continued with a newer version',
  'a file or symlink was in the place of a directory of another device',
] as const

export type Sometime = (typeof SOMETIMES)[number]

/** Those that a run injects; the others follow from them or from user actions. */
const INJECTED: ReadonlySet<Sometime> = new Set([
  'a device lost power while it pulled',
  'a device lost power while it scanned',
  'a device lost power after an edit in the instant of a replacement',
  'a disk call failed',
  'a disk was full',
  'a disk returned corrupt data',
  'a device served corrupt blocks',
  'a connection was cut',
  'devices were partitioned',
  'a clock was set back',
  'a clock was set forward',
  'a device was stopped and restarted',
  'an index was lost',
  'an index was unreadable',
  'a home was restored from a backup',
  'a folder was restored from a backup',
])

const CLASH = 'on this device and a directory on another one'

/** Counts how often each situation was reached, over any number of runs. */
export class Reached {
  readonly #counts = new Map<Sometime, number>()

  note(what: Sometime, count = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + count)
  }

  merge(other: Reached): void {
    for (const [what, count] of other.#counts) this.note(what, count)
  }

  get missing(): readonly Sometime[] {
    return SOMETIMES.filter((what) => !this.#counts.has(what))
  }

  get percent(): number {
    return Math.round((100 * (SOMETIMES.length - this.missing.length)) / SOMETIMES.length)
  }

  /** How many faults were injected. */
  get faults(): number {
    return [...INJECTED].reduce((sum, what) => sum + (this.#counts.get(what) ?? 0), 0)
  }

  /** Most reached first. */
  lines(): readonly string[] {
    const counted = SOMETIMES.map((what) => [what, this.#counts.get(what) ?? 0] as const)
    return counted.toSorted((a, b) => b[1] - a[1]).map(([what, count]) => `${String(count).padStart(8)}  ${what}`)
  }

  /** Notes what follows from an event of a device. */
  noteEvent(event: Event): void {
    if (event.type === 'StateChanged' && event.data.from === 'error')
      this.note('a folder entered and left the error state')
    if (event.type === 'LocalChangeDetected' && event.data.path.includes('.sync-conflict-'))
      this.note('a conflict copy was made')
    if (event.type === 'FolderErrors' && event.data.errors.some(({ error }) => error.startsWith('scan: '))) {
      this.note('a scan could not read a directory')
    }
    if (event.type === 'FolderErrors' && event.data.errors.some(({ error }) => error.includes(CLASH)))
      this.note('a file or symlink was in the place of a directory of another device')
    if (event.type !== 'ItemFinished') return
    const { action, type, error } = event.data
    if (error !== null) this.note('an item failed and was retried')
    else if (action === 'delete') this.note('a deletion was pulled')
    else if (action === 'metadata') this.note('only mode or time was pulled')
    else if (type === 'dir') this.note('a directory was pulled')
    else if (type === 'symlink') this.note('a symlink was pulled')
  }
}
