import type { Event } from '../../src/events/types.ts'

/** What the simulation must come across sooner or later: a run that never does tests less than it seems to. */
export const SOMETIMES = [
  'a conflict copy was made',
  'a device lost power while it pulled',
  'a device lost power while it scanned',
  'a user changed a file in the middle of a pull',
  'a deletion was pulled',
  'a directory was pulled',
  'a symlink was pulled',
  'only mode or time was pulled',
  'an item failed and was tried again',
  'a scan was asked for while the folder was pulling',
  'a disk refused',
  'a scan could not read a directory',
  'a disk was full',
  'a disk gave other bytes than were written',
  'a device gave others wrong bytes',
  'a connection was cut',
  'devices were parted',
  'a clock was set back',
  'a clock was set forward',
  'a device stopped in order and came back',
  'a temporary file was left by a crash',
  'a file of several blocks was pulled',
  'a temporary file was used again',
  'blocks were taken from the old version of a file',
  'blocks were taken from another file',
  'a file got its new name and was not fetched',
  'a watched folder was changed',
  'a folder came to an error and out of it',
  'two devices made the same file apart',
  'a folder that only sends had its way',
  'a folder that only receives took its changes back',
  'an old version was kept',
  'a file was deleted apart while somebody was away',
  'a person had to choose between a directory and something else',
] as const

export type Sometime = (typeof SOMETIMES)[number]

/** How often each was reached, over any number of runs. */
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

  /** Most reached first. */
  lines(): readonly string[] {
    const counted = SOMETIMES.map((what) => [what, this.#counts.get(what) ?? 0] as const)
    return counted.toSorted((a, b) => b[1] - a[1]).map(([what, count]) => `${String(count).padStart(8)}  ${what}`)
  }

  /** What the events of a device tell. */
  noteEvent(event: Event): void {
    if (event.type === 'StateChanged' && event.data.from === 'error')
      this.note('a folder came to an error and out of it')
    if (event.type === 'LocalChangeDetected' && event.data.path.includes('.sync-conflict-'))
      this.note('a conflict copy was made')
    if (event.type === 'FolderErrors' && event.data.errors.some(({ error }) => error.startsWith('scan: '))) {
      this.note('a scan could not read a directory')
    }
    if (event.type !== 'ItemFinished') return
    const { action, type, error } = event.data
    if (error !== null) this.note('an item failed and was tried again')
    else if (action === 'delete') this.note('a deletion was pulled')
    else if (action === 'metadata') this.note('only mode or time was pulled')
    else if (type === 'dir') this.note('a directory was pulled')
    else if (type === 'symlink') this.note('a symlink was pulled')
  }
}
