import { BLOCK_SIZE_BYTES_MIN } from '../../src/core/blocks.ts'
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
    if (item.type === 'file' && item.content.length > BLOCK_SIZE_BYTES_MIN) this.#reached.note('a file of several blocks was pulled')
  }

  /** No file is ever seen with a content that nobody wrote. */
  checkContent(device: SimDevice, path: string): void {
    if (!isBelow(path, ROOT) || !isUsers(path.slice(ROOT.length + 1))) return
    const item = device.disk.hands.look(path)
    if (item?.type !== 'file' || this.#contents.identify(item.content) !== undefined) return
    const what = `${path} on ${device.name} has a content of ${item.content.length} bytes that nobody wrote`
    this.broken ??= new LawBroken('no torn file', what)
  }

  checkContents(device: SimDevice): void {
    for (const path of device.disk.hands.tree(ROOT).keys()) this.checkContent(device, `${ROOT}/${path}`)
  }

  /** Nobody hears of a deletion while the item is there; somebody may have made it anew in this very moment. */
  checkDeletion(device: SimDevice, path: string): void {
    if (this.#user.lastActMs.get(device) === device.clock.monotonicMs()) return
    if (device.disk.hands.look(`${ROOT}/${path}`) === undefined) return
    this.broken ??= new LawBroken('no false deletion', `${device.name} calls ${path} deleted, which is on its disk`)
  }
}
