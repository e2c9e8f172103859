import { isTemporary } from '../../src/core/paths.ts'
import type { SeenItem } from '../../src/platform/sim/disk-hands.ts'
import { DOCS } from '../support/model.ts'
import type { Contents } from './contents.ts'
import { ROOT, type SimDevice } from './device.ts'
import { isUsers, type User } from './user.ts'

/** A law that did not hold: the simulated devices did something that no user should ever see. */
export class LawBroken extends Error {
  override readonly name = 'LawBroken'
  readonly law: string

  constructor(law: string, message: string) {
    super(`${law}: ${message}`)
    this.law = law
  }
}

/** More than a simulated folder ever has items. */
const LOOK_AT_MAX = 1_000

type Tree = ReadonlyMap<string, string>

/** What is the same on every device in the end: names, types, contents and modes. */
function treeOf(device: SimDevice, contents: Contents): Tree {
  const items = [...device.disk.hands.tree(ROOT)].filter(([path]) => isUsers(path))
  return new Map(items.map(([path, item]) => [path, describe(item, contents)]))
}

function describe(item: SeenItem, contents: Contents): string {
  if (item.type === 'symlink') return `symlink to ${item.target}`
  const mode = (item.mode & 0o777).toString(8)
  return item.type === 'file'
    ? `file <${contents.identify(item.content) ?? 'nobody’s'}> ${mode}`
    : `${item.type} ${mode}`
}

/**
 * What keeps the devices from being at rest, in words; undefined when nothing does. Until a person has decided who is
 * right, folders that only send or only receive may differ from others, and complain of it.
 */
export async function unrest(devices: readonly SimDevice[], decided: boolean): Promise<string | undefined> {
  for (const device of devices) {
    const { model, name } = device
    if (model === undefined) return `${name} is off`
    if (device.missing.length > 0) return `${name} is not connected to ${device.missing.join(', ')}`
    const status = await model.status(DOCS)
    if (status.state !== 'idle') return `${name} is ${status.state}`
    const mayDiffer = !decided && device.folderType !== 'sendreceive'
    const excused = (path: string): boolean => mayDiffer || (!decided && isKeptFromSender(device, path, devices))
    const needed = (await (await device.index()).need({ offset: 0, limit: LOOK_AT_MAX })).map((item) => item.name)
    if (!needed.every(excused)) return `${name} needs ${needed.join(', ')}: ${await problemsOf(device)}`
    const problems = (await model.folderErrors(DOCS, { page: 1, perPage: LOOK_AT_MAX })) ?? []
    if (!problems.every(({ path }) => excused(path))) return `${name} has problems: ${await problemsOf(device)}`
    for (const neighbour of device.neighbours) {
      const index = await neighbour.index()
      const heard = status.remoteSequences?.get(neighbour.id) ?? 0
      // The last numbers may be those of records that were dropped: there is nothing to hear of them.
      const [unheard] = await index.localSince(heard, { files: 1, blocks: 1 })
      const theirs = unheard?.sequence ?? (await index.sequence('local'))
      if (unheard !== undefined || heard > theirs)
        return `${name} has heard ${heard} of ${theirs} from ${neighbour.name}`
    }
  }
  return undefined
}

/**
 * A folder that only sends removed the directory, or made something else of it, and does not bring it back for the news
 * that others have in it: until a person says who is right, those others keep it and say that they cannot remove it.
 */
function isKeptFromSender({ disk, folderType }: SimDevice, path: string, devices: readonly SimDevice[]): boolean {
  if (folderType === 'sendonly' || disk.hands.look(`${ROOT}/${path}`)?.type !== 'directory') return false
  if (![...disk.hands.tree(`${ROOT}/${path}`).keys()].some(isUsers)) return false
  const senders = devices.filter((other) => other.folderType === 'sendonly')
  return senders.some((sender) => sender.disk.hands.look(`${ROOT}/${path}`)?.type !== 'directory')
}

async function problemsOf(device: SimDevice): Promise<string> {
  const problems = await device.model?.folderErrors(DOCS, { page: 1, perPage: 3 })
  return problems?.map(({ path, error }) => `${path} (${error})`).join(', ') ?? ''
}

export function checkConvergence(devices: readonly SimDevice[], contents: Contents): void {
  const [first, ...others] = devices
  if (first === undefined) return
  const expected = treeOf(first, contents)
  for (const other of others) {
    const tree = treeOf(other, contents)
    for (const path of new Set([...expected.keys(), ...tree.keys()])) {
      if (expected.get(path) === tree.get(path)) continue
      const [here, there] = [expected.get(path) ?? 'nothing', tree.get(path) ?? 'nothing']
      throw new LawBroken('convergence', `${path} is ${here} on ${first.name} and ${there} on ${other.name}`)
    }
  }
}

/** Every content that nobody knowingly gave up is somewhere: as a file, a conflict copy or an old version. */
export function checkNothingLost(devices: readonly SimDevice[], contents: Contents): void {
  const found = new Set<number>()
  for (const device of devices) {
    for (const [path, item] of device.disk.hands.tree(ROOT)) {
      const content = item.type === 'file' && !isTemporary(path) ? contents.identify(item.content) : undefined
      if (content !== undefined) found.add(content)
    }
  }
  for (let content = 1; content < contents.count; content++) {
    if (!found.has(content) && !contents.released.has(content))
      throw new LawBroken('no edit lost', `content <${content}> is nowhere`)
  }
}

/**
 * What was removed or replaced by somebody who knew it does not come back by itself. Where an edit made apart won, as it
 * always does against a deletion, the record of the farewell is gone: a device that still has the content then meets that
 * edit as its equal, and the later one has the name. And what a device had not recorded when its power went, nobody can
 * tell the removal of.
 */
export function checkNoResurrection(devices: readonly SimDevice[], contents: Contents, user: User): void {
  for (const { path, content, overruled, untold } of user.past.farewells) {
    if (overruled || untold || user.touched.has(content)) continue
    const where = devices.find(({ disk }) => {
      const item = disk.hands.look(`${ROOT}/${path}`)
      return item?.type === 'file' && contents.identify(item.content) === content
    })
    if (where !== undefined) throw new LawBroken('no resurrection', `<${content}> is back at ${path} on ${where.name}`)
  }
}

export function checkNoTemporaries(devices: readonly SimDevice[]): void {
  for (const device of devices) {
    for (const path of device.disk.hands.tree(ROOT).keys()) {
      if (isTemporary(path)) throw new LawBroken('no leftovers', `${path} is left on ${device.name}`)
    }
  }
}

/** How many records each device has made so far, in one comparable text. */
export async function sequencesOf(devices: readonly SimDevice[]): Promise<string> {
  return String(await Promise.all(devices.map(async (device) => (await device.index()).sequence('local'))))
}
