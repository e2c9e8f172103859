import { temporaryName } from '../../src/core/paths.ts'
import type { SimNetwork } from '../../src/platform/sim/net.ts'
import { pick, type SimRandom } from '../../src/platform/sim/random.ts'
import { DOCS } from '../support/model.ts'
import { BLOCK_BYTES, BLOCKS, type Contents } from './contents.ts'
import { ROOT, type SimDevice } from './device.ts'
import type { Reached } from './sometimes.ts'
import type { Trace } from './trace.ts'
import type { User } from './user.ts'

const S = 1_000
/** Long enough for reachable devices to connect and to converge. */
const CONVERGENCE_MS = 40 * S
const PATH = 'd/scene'
const LARGE = 'large'
/** Until a pull has begun. */
const PULL_ROUNDS_MAX = 2_000

export interface ScenariosDeps {
  readonly random: SimRandom
  readonly network: SimNetwork
  readonly user: User
  readonly trace: Trace
  readonly reached: Reached
  readonly devices: readonly SimDevice[]
  /** Each device has only its neighbours configured. */
  readonly isChain: boolean
  during<T>(promise: Promise<T>): Promise<T>
  pass(ms: number): Promise<void>
}

/** Fixed sequences of edits and partitions that random steps rarely produce. */
export class Scenarios {
  readonly #deps: ScenariosDeps

  constructor(deps: ScenariosDeps) {
    this.#deps = deps
  }

  /**
   * One device edits a file and deletes it, another deletes it without having seen that edit, the two connect, and a
   * third that had the edit and was offline connects. Whichever deletion wins, the edit was deleted knowingly.
   */
  async concurrentDeletions(): Promise<void> {
    const { user, random, reached, trace } = this.#deps
    const [editor, other, offline] = this.#roles()
    if (editor === undefined || other === undefined || offline === undefined) return
    trace.add('', `scenario: ${editor.name} and ${other.name} delete concurrently, ${offline.name} is offline`)
    this.#connectOnly([editor, other], [editor, offline])
    await this.#act(editor, () => user.write(editor, PATH))
    this.#connectOnly([editor, offline])
    await this.#act(editor, () => user.write(editor, PATH))
    this.#connectOnly()
    for (const device of random.chance(0.5) ? [editor, other] : [other, editor]) {
      await this.#act(device, () => user.remove(device, PATH))
    }
    this.#connectOnly([editor, other])
    await this.#deps.pass(CONVERGENCE_MS)
    reached.note('a file was deleted concurrently while a third device was offline')
    this.#connectOnly([editor, other], [editor, offline])
    await this.#deps.pass(CONVERGENCE_MS)
    this.#healAll()
  }

  /** A pull is interrupted, the file gets a hole meanwhile, and the pull continues with what it had. */
  async newVersionOfInterruptedPull(): Promise<void> {
    const { devices, during, pass, random, reached, trace, user } = this.#deps
    const [writer, reader] = random.chance(0.5) ? devices : [devices[1], devices[0]]
    if (writer === undefined || reader === undefined) return
    trace.add('', `scenario: ${reader.name} is interrupted while it pulls a file that ${writer.name} changes`)
    this.#connectOnly([writer, reader])
    user.writeBlocks(writer, LARGE)
    const scanned = writer.model?.scan(DOCS)
    const wanted = 1 + random.int(BLOCKS)
    for (let round = 0; round < PULL_ROUNDS_MAX && blocksPulled(reader) < wanted; round++) await pass(2)
    if (blocksPulled(reader) > 0) reached.note('a pull was interrupted, and continued with a newer version')
    if (random.chance(0.3)) reader.crash()
    else await during(reader.stop())
    await during(scanned ?? Promise.resolve())
    await this.#act(writer, () => user.writeBlocks(writer, LARGE))
    await reader.start()
    this.#healAll()
  }

  /** In a chain the editor is the middle device, which is connected to both others. */
  #roles(): readonly SimDevice[] {
    const { devices, isChain, random } = this.#deps
    const rest = [...devices]
    const editor = isChain ? rest.splice(1, 1) : rest.splice(random.int(rest.length), 1)
    const others = isChain ? [rest[0], rest[1]] : [pick(random, rest), undefined]
    if (!isChain) others[1] = rest.filter((device) => device !== others[0])[0]
    if (random.chance(0.5)) others.reverse()
    return [...editor, ...others].filter((device) => device !== undefined)
  }

  async #act(device: SimDevice, action: () => void): Promise<void> {
    action()
    await this.#deps.during(device.model?.scan(DOCS) ?? Promise.resolve())
    await this.#deps.pass(CONVERGENCE_MS)
  }

  #connectOnly(...pairs: readonly (readonly [SimDevice, SimDevice])[]): void {
    const { devices, network } = this.#deps
    this.#healAll()
    for (const a of devices) {
      for (const b of devices) {
        const isConnected = pairs.some((pair) => pair.includes(a) && pair.includes(b))
        if (a.name < b.name && !isConnected) network.partition(a.name, b.name)
      }
    }
  }

  #healAll(): void {
    const { devices, network } = this.#deps
    for (const a of devices) for (const b of devices) if (a !== b) network.heal(a.name, b.name)
  }
}

/** Blocks in the temporary file. */
function blocksPulled({ disk }: SimDevice): number {
  const content = disk.direct.look(`${ROOT}/${temporaryName(LARGE, 'linux')}`)?.content ?? new Uint8Array()
  const blocks = Array.from({ length: BLOCKS }, (_, block) => block * BLOCK_BYTES)
  return blocks.filter((at) => (content[at] ?? 0) !== 0).length
}

/** The same content under the same name, created on several devices before they connect. */
export function createSameFile(devices: readonly SimDevice[], contents: Contents, user: User, reached: Reached): void {
  const content = contents.make(undefined)
  for (const device of devices) device.disk.direct.write(`${ROOT}/same`, content)
  contents.written(content)
  user.touched.add(contents.identify(content) ?? 0) // removing one of them does not remove the other
  reached.note('two devices created the same file concurrently')
}
