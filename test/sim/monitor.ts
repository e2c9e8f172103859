import { BLOCK_SIZE_BYTES_MIN } from '../../src/core/records/blocks.ts'
import { isBelow } from '../../src/core/paths.ts'
import type { Contents } from './contents.ts'
import { ROOT, type SimDevice } from './device.ts'
import { InvariantViolation } from './invariants.ts'
import type { Reached } from './sometimes.ts'
import type { User } from './user.ts'
import { isUsers } from './user-paths.ts'

/** Checks the invariants that must hold at every moment, not only at the end. */
export class Monitor {
  readonly #contents: Contents
  readonly #user: User
  readonly #reached: Reached
  /** The first violation; it cannot be thrown into the code under test. */
  violation: InvariantViolation | undefined

  constructor(contents: Contents, user: User, reached: Reached) {
    this.#contents = contents
    this.#user = user
    this.#reached = reached
  }

  /** A device has pulled an item. */
  onPulled(device: SimDevice, path: string): void {
    const item = device.disk.direct.look(`${ROOT}/${path}`)
    if (item === undefined) return this.#user.removals.pulledDeletion(device.name, path)
    this.#user.removals.pulled(device.name, path, this.#contents.identityOf(item))
    if (item.type === 'file' && item.content.length > BLOCK_SIZE_BYTES_MIN)
      this.#reached.note('a file of several blocks was pulled')
  }

  /** An item on the disk of a device changed. */
  onChanged(device: SimDevice, path: string): void {
    const content = this.checkContent(device, path)
    if (content === undefined) return
    this.#user.removals.unrecorded.appeared(
      device.name,
      path.slice(ROOT.length + 1),
      content,
      device.clock.monotonicMs(),
    )
  }

  /** An item was removed from the disk of a device. */
  onRemoved(device: SimDevice, path: string): void {
    if (isBelow(path, ROOT)) this.#user.removals.unrecorded.gone(device.name, path.slice(ROOT.length + 1))
  }

  /** Every file has a content that a user wrote. Returns its number; undefined for what is no user file. */
  checkContent(device: SimDevice, path: string): number | undefined {
    if (!isBelow(path, ROOT) || !isUsers(path.slice(ROOT.length + 1))) return undefined
    const item = device.disk.direct.look(path)
    if (item?.type !== 'file') return undefined
    const content = this.#contents.identify(item.content)
    if (content !== undefined) return content
    const what = `${path} on ${device.name} has a content of ${item.content.length} bytes that no user wrote`
    this.violation ??= new InvariantViolation('no torn file', what)
    return undefined
  }

  checkContents(device: SimDevice): void {
    for (const path of device.disk.direct.tree(ROOT).keys()) this.checkContent(device, `${ROOT}/${path}`)
  }

  /**
   * No deletion is announced while the item exists. At the same moment of the clock a user may have created it again,
   * or the device a directory to pull into; the deleted item was gone nevertheless.
   */
  checkDeletion(device: SimDevice, path: string): void {
    if (this.#user.lastActionMs.get(device) === device.clock.monotonicMs()) return
    const item = device.disk.direct.look(`${ROOT}/${path}`)
    if (item === undefined || (item.type === 'directory' && device.hasJustMade(path))) return
    this.violation ??= new InvariantViolation(
      'no false deletion',
      `${device.name} announces ${path} as deleted, which is on its disk`,
    )
  }
}
