import { BLOCK_SIZE_BYTES_MIN } from '../../src/core/records/blocks.ts'
import { isBelow } from '../../src/core/paths.ts'
import type { Contents } from './contents.ts'
import { ROOT, type SimDevice } from './device.ts'
import { LawBroken } from './laws.ts'
import type { Reached } from './sometimes.ts'
import { isUsers, type User } from './user.ts'

/** Looks on all the time: some laws hold at every moment, not only in the end. */
export class Witness {
  readonly #contents: Contents
  readonly #user: User
  readonly #reached: Reached
  /** The first law that was broken; whoever did it could not be told there and then. */
  broken: LawBroken | undefined

  constructor(contents: Contents, user: User, reached: Reached) {
    this.#contents = contents
    this.#user = user
    this.#reached = reached
  }

  /** A device has taken something from another one. */
  taken(device: SimDevice, path: string): void {
    const item = device.disk.hands.look(`${ROOT}/${path}`)
    if (item === undefined) return this.#user.past.tookDeletion(device.name, path)
    this.#user.past.took(device.name, path, this.#contents.shapeOf(item))
    if (item.type === 'file' && item.content.length > BLOCK_SIZE_BYTES_MIN)
      this.#reached.note('a file of several blocks was pulled')
  }

  /** Something changed on the disk of a device. */
  changed(device: SimDevice, path: string): void {
    const content = this.checkContent(device, path)
    if (content === undefined) return
    this.#user.past.unrecorded.appeared(device.name, path.slice(ROOT.length + 1), content, device.clock.monotonicMs())
  }

  /** Something is no longer on the disk of a device. */
  gone(device: SimDevice, path: string): void {
    if (isBelow(path, ROOT)) this.#user.past.unrecorded.gone(device.name, path.slice(ROOT.length + 1))
  }

  /** No file is ever seen with a content that nobody wrote. Returns which it is; undefined for what is no user's file. */
  checkContent(device: SimDevice, path: string): number | undefined {
    if (!isBelow(path, ROOT) || !isUsers(path.slice(ROOT.length + 1))) return undefined
    const item = device.disk.hands.look(path)
    if (item?.type !== 'file') return undefined
    const content = this.#contents.identify(item.content)
    if (content !== undefined) return content
    const what = `${path} on ${device.name} has a content of ${item.content.length} bytes that nobody wrote`
    this.broken ??= new LawBroken('no torn file', what)
    return undefined
  }

  checkContents(device: SimDevice): void {
    for (const path of device.disk.hands.tree(ROOT).keys()) this.checkContent(device, `${ROOT}/${path}`)
  }

  /**
   * Nobody hears of a deletion while the item is there. In this very moment somebody may have made it anew, or the device
   * itself a directory, for something that it pulls into it: what is called deleted was gone all the same.
   */
  checkDeletion(device: SimDevice, path: string): void {
    if (this.#user.lastActMs.get(device) === device.clock.monotonicMs()) return
    const item = device.disk.hands.look(`${ROOT}/${path}`)
    if (item === undefined || (item.type === 'directory' && device.hasJustMade(path))) return
    this.broken ??= new LawBroken('no false deletion', `${device.name} calls ${path} deleted, which is on its disk`)
  }
}
