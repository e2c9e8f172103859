import { isConflictOf, isTemporary } from '../../src/core/paths.ts'
import type { SimItem } from '../../src/platform/sim/direct-access.ts'
import { DOCS } from '../support/model.ts'
import type { Contents } from './contents.ts'
import { ROOT, type SimDevice } from './device.ts'
import type { User } from './user.ts'
import { isUsers } from './user-paths.ts'

/** An invariant that did not hold: the simulated devices did something that no user may ever see. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation'
  readonly invariant: string

  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`)
    this.invariant = invariant
  }
}

/** Larger than any simulated folder. */
const ITEMS_MAX = 1_000

type Tree = ReadonlyMap<string, string>

/** What must be equal on all devices after convergence: names, types, contents and modes. */
export function treeOf(device: SimDevice, contents: Contents): Tree {
  const items = [...device.disk.direct.tree(ROOT)].filter(([path]) => isUsers(path))
  return new Map(items.map(([path, item]) => [path, describe(item, contents)]))
}

function describe(item: SimItem, contents: Contents): string {
  if (item.type === 'symlink') return `symlink to ${item.target}`
  const mode = (item.mode & 0o777).toString(8)
  return item.type === 'file'
    ? `file <${contents.identify(item.content) ?? 'unknown'}> ${mode}`
    : `${item.type} ${mode}`
}

/**
 * Why the devices have not converged; undefined when they have. Before override and revert, send-only and receive-only
 * folders may differ from others and report errors for it.
 */
export async function unsettledReason(devices: readonly SimDevice[], decided: boolean): Promise<string | undefined> {
  for (const device of devices) {
    const { model, name } = device
    if (model === undefined) return `${name} is off`
    if (device.missing.length > 0) return `${name} is not connected to ${device.missing.join(', ')}`
    const status = await model.status(DOCS)
    if (status.state !== 'idle') return `${name} is ${status.state}`
    const mayDiffer = !decided && device.folderType !== 'sendreceive'
    const excused = (path: string): boolean => mayDiffer || (!decided && isKeptFromSender(device, path, devices))
    const needed = (await (await device.index()).needs.need({ offset: 0, limit: ITEMS_MAX })).map((item) => item.name)
    if (!needed.every(excused)) return `${name} needs ${needed.join(', ')}: ${await problemsOf(device)}`
    const problems = (await model.folderErrors(DOCS, { page: 1, perPage: ITEMS_MAX })) ?? []
    if (!problems.every(({ path }) => excused(path))) return `${name} has problems: ${await problemsOf(device)}`
    for (const neighbour of device.neighbours) {
      const index = await neighbour.index()
      const received = status.remoteSequences?.get(neighbour.id) ?? 0
      // The last sequences may belong to dropped records, which are never sent.
      const [missing] = await index.exchange.localSince(received, { files: 1, blocks: 1 })
      const theirs = missing?.sequence ?? (await index.exchange.sequence('local'))
      if (missing !== undefined || received > theirs)
        return `${name} received ${received} of ${theirs} from ${neighbour.name}`
    }
  }
  return undefined
}

/**
 * A send-only folder removed or replaced the directory and does not restore it for updates that others have in it:
 * until override or revert, those others keep the directory and report that they cannot remove it.
 */
function isKeptFromSender({ disk, folderType }: SimDevice, path: string, devices: readonly SimDevice[]): boolean {
  if (folderType === 'sendonly' || disk.direct.look(`${ROOT}/${path}`)?.type !== 'directory') return false
  if (![...disk.direct.tree(`${ROOT}/${path}`).keys()].some(isUsers)) return false
  const senders = devices.filter((other) => other.folderType === 'sendonly')
  return senders.some((sender) => sender.disk.direct.look(`${ROOT}/${path}`)?.type !== 'directory')
}

async function problemsOf(device: SimDevice): Promise<string> {
  const problems = await device.model?.folderErrors(DOCS, { page: 1, perPage: 3 })
  return problems?.map(({ path, error }) => `${path} (${error})`).join(', ') ?? ''
}

export function checkConvergence(devices: readonly SimDevice[], contents: Contents): void {
  expectSameTrees('convergence', devices, contents)
}

function expectSameTrees(invariant: string, devices: readonly SimDevice[], contents: Contents): void {
  const [first, ...others] = devices
  if (first === undefined) return
  const expected = treeOf(first, contents)
  for (const other of others) {
    const tree = treeOf(other, contents)
    for (const path of new Set([...expected.keys(), ...tree.keys()])) {
      if (expected.get(path) === tree.get(path)) continue
      const [here, there] = [expected.get(path) ?? 'nothing', tree.get(path) ?? 'nothing']
      throw new InvariantViolation(invariant, `${path} is ${here} on ${first.name} and ${there} on ${other.name}`)
    }
  }
}

/**
 * A file that a device had after its user's edits still has its name, or is a conflict copy: a byzantine device can
 * claim a concurrent version with a later time.
 */
export function checkEditsKept(device: SimDevice, edited: Tree, contents: Contents): void {
  const tree = treeOf(device, contents)
  for (const [path, item] of edited) {
    if (!item.startsWith('file ')) continue
    const kept = [...tree].some(([name, found]) => found === item && (name === path || isConflictOf(name, path)))
    if (!kept) throw new InvariantViolation('an edit is kept', `${path} was ${item} after an edit on ${device.name}`)
  }
}

/**
 * Devices that one device shows as complete have the same content. Completion does not cover local changes in
 * receive-only folders, which are shown apart.
 */
export async function checkCompletion(devices: readonly SimDevice[], contents: Contents): Promise<void> {
  for (const viewer of devices) {
    const complete: SimDevice[] = []
    for (const device of [viewer, ...viewer.neighbours]) {
      if (!device.isHonest || device.folderType === 'receiveonly' || device.folderType === 'receiveencrypted') continue
      const shown = await viewer.completion(device === viewer ? undefined : device)
      if (shown?.completion === 100 && shown.needItems === 0) complete.push(device)
    }
    expectSameTrees('equal completion', complete, contents)
  }
}

/** Every content that no user knowingly replaced or removed exists: as a file, a conflict copy or an old version. */
export function checkNothingLost(devices: readonly SimDevice[], contents: Contents): void {
  const found = new Set<number>()
  for (const device of devices) {
    for (const [path, item] of device.disk.direct.tree(ROOT)) {
      const content = item.type === 'file' && !isTemporary(path) ? contents.identify(item.content) : undefined
      if (content !== undefined) found.add(content)
    }
  }
  for (let content = 1; content < contents.count; content++) {
    if (!found.has(content) && !contents.released.has(content))
      throw new InvariantViolation('no edit lost', `content <${content}> is nowhere`)
  }
}

/**
 * A content that a user knowingly removed or replaced does not come back. Exceptions: where a concurrent edit won, as
 * it always does against a deletion, the record of the removal is gone, and a device that still has the content is then
 * concurrent with that edit; and the removal of a content that was not recorded at a power loss cannot be detected.
 */
export function checkNoResurrection(devices: readonly SimDevice[], contents: Contents, user: User): void {
  for (const { path, content, overruled, unrecorded } of user.removals.all) {
    if (overruled || unrecorded || user.touched.has(content)) continue
    const where = devices.find(({ disk }) => {
      const item = disk.direct.look(`${ROOT}/${path}`)
      return item?.type === 'file' && contents.identify(item.content) === content
    })
    if (where !== undefined)
      throw new InvariantViolation('no resurrection', `<${content}> reappeared at ${path} on ${where.name}`)
  }
}

export function checkNoTemporaries(devices: readonly SimDevice[]): void {
  for (const device of devices) {
    for (const path of device.disk.direct.tree(ROOT).keys()) {
      if (isTemporary(path)) throw new InvariantViolation('no leftovers', `${path} remains on ${device.name}`)
    }
  }
}

/** The local sequences of all devices, as one comparable text. */
export async function sequencesOf(devices: readonly SimDevice[]): Promise<string> {
  return String(await Promise.all(devices.map(async (device) => (await device.index()).exchange.sequence('local'))))
}
