import type { SimNetwork } from '../../src/platform/sim/net.ts'
import { pick, type SimRandom } from '../../src/platform/sim/random.ts'
import { DOCS } from '../support/model.ts'
import type { SimDevice } from './device.ts'
import type { Reached } from './sometimes.ts'
import type { Trace } from './trace.ts'
import type { User } from './user.ts'

const S = 1_000
/** Long enough for devices that may talk to find each other and to agree. */
const MEETING_MS = 40 * S
const PATH = 'd/scene'

export interface ScenesDeps {
  readonly random: SimRandom
  readonly network: SimNetwork
  readonly user: User
  readonly trace: Trace
  readonly reached: Reached
  readonly devices: readonly SimDevice[]
  /** Everybody knows only those beside them. */
  readonly isChain: boolean
  during<T>(promise: Promise<T>): Promise<T>
  pass(ms: number): Promise<void>
}

/** Short plays of people who meet and part in an order that chance alone would rarely find. */
export class Scenes {
  readonly #deps: ScenesDeps

  constructor(deps: ScenesDeps) {
    this.#deps = deps
  }

  /**
   * One edits a file and deletes it, another deletes it without having seen that edit, the two meet, and a third comes
   * back who had the edit and was away. Whichever deletion wins, the edit was deleted by somebody who knew it.
   */
  async deletionsApart(): Promise<void> {
    const { user, random, reached, trace } = this.#deps
    const [editor, other, away] = this.#roles()
    if (editor === undefined || other === undefined || away === undefined) return
    trace.add('', `scene: ${editor.name} and ${other.name} delete apart, ${away.name} is away`)
    this.#letMeet([editor, other], [editor, away])
    await this.#act(editor, () => user.write(editor, PATH))
    this.#letMeet([editor, away])
    await this.#act(editor, () => user.write(editor, PATH))
    this.#letMeet()
    for (const device of random.chance(0.5) ? [editor, other] : [other, editor]) {
      await this.#act(device, () => user.remove(device, PATH))
    }
    this.#letMeet([editor, other])
    await this.#deps.pass(MEETING_MS)
    reached.note('a file was deleted apart while somebody was away')
    this.#letMeet([editor, other], [editor, away])
    await this.#deps.pass(MEETING_MS)
    this.#healAll()
  }

  /** In a chain the one in the middle speaks with both others. */
  #roles(): readonly SimDevice[] {
    const { devices, isChain, random } = this.#deps
    const rest = [...devices]
    const editor = isChain ? rest.splice(1, 1) : rest.splice(random.int(rest.length), 1)
    const others = isChain ? [rest[0], rest[1]] : [pick(random, rest), undefined]
    if (!isChain) others[1] = rest.filter((device) => device !== others[0])[0]
    if (random.chance(0.5)) others.reverse()
    return [...editor, ...others].filter((device) => device !== undefined)
  }

  async #act(device: SimDevice, deed: () => void): Promise<void> {
    deed()
    await this.#deps.during(device.model?.scan(DOCS, [], undefined) ?? Promise.resolve())
    await this.#deps.pass(MEETING_MS)
  }

  #letMeet(...pairs: readonly (readonly [SimDevice, SimDevice])[]): void {
    const { devices, network } = this.#deps
    this.#healAll()
    for (const a of devices) {
      for (const b of devices) {
        const may = pairs.some((pair) => pair.includes(a) && pair.includes(b))
        if (a.name < b.name && !may) network.partition(a.name, b.name)
      }
    }
  }

  #healAll(): void {
    const { devices, network } = this.#deps
    for (const a of devices) for (const b of devices) if (a !== b) network.heal(a.name, b.name)
  }
}
