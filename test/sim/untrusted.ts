import { isEncryptedParent, isEncryptedPath } from '../../src/core/encryption/names.ts'
import { isTemporary } from '../../src/core/paths.ts'
import type { SimNetwork } from '../../src/platform/sim/net.ts'
import type { SimRandom } from '../../src/platform/sim/random.ts'
import { ROOT, type SimDevice } from './device.ts'
import { InvariantViolation } from './invariants.ts'
import type { Tamperer } from './tamperer.ts'
import { PLAIN_RUN } from './wire-check.ts'

const FAULT_CHANCE = 0.3

/** The device of a run that stores encrypted data. Users do nothing there; it fails and loses connections. */
export class UntrustedDevice {
  readonly #device: SimDevice
  readonly #others: readonly SimDevice[]
  readonly #network: SimNetwork
  readonly #tamperer: Tamperer | undefined
  /** The most files that it had. */
  files = 0

  constructor(device: SimDevice, others: readonly SimDevice[], network: SimNetwork, tamperer?: Tamperer) {
    this.#device = device
    this.#others = others
    this.#network = network
    this.#tamperer = tamperer
  }

  async disturb(random: SimRandom): Promise<void> {
    this.check()
    if (random.chance(FAULT_CHANCE)) this.#device.crash()
    else await this.#device.start()
    for (const { name } of this.#others) {
      if (random.chance(FAULT_CHANCE)) this.#network.cut(this.#device.name, name)
      else this.#network.heal(this.#device.name, name)
    }
  }

  /** Records and blocks that it repeated, withheld or changed. */
  get tampered(): number {
    return this.#tamperer?.count ?? 0
  }

  /** Bytes that it sent and received. */
  get wireBytes(): number {
    return this.#device.wire.bytes
  }

  heal(): void {
    if (this.#tamperer !== undefined) this.#tamperer.active = false
    for (const { name } of this.#others) this.#network.heal(this.#device.name, name)
  }

  check(): void {
    const { found } = this.#device.wire
    if (found !== undefined) throw new InvariantViolation('nothing plain', `${this.#device.name} ${found}`)
    this.files = Math.max(this.files, checkNothingPlain(this.#device))
  }
}

/** An untrusted device stores nothing that shows a name or a content. Names of users are no encrypted paths. */
function checkNothingPlain(device: SimDevice): number {
  let files = 0
  for (const [path, item] of device.disk.direct.tree(ROOT)) {
    if (path.startsWith('.stfolder') || path.startsWith('.stversions')) continue
    const isHidden = isEncryptedParent(path) || isEncryptedPath(path) || isTemporary(path)
    if (!isHidden) throw new InvariantViolation('nothing plain', `${path} is on ${device.name}`)
    if (item.type !== 'file') continue
    files++
    if (PLAIN_RUN.test(Buffer.from(item.content).toString('latin1')))
      throw new InvariantViolation('nothing plain', `plain content in ${path} on ${device.name}`)
  }
  return files
}
