/**
 * A Syncthing 2.x keeps several connections to a device, and gives the key of a folder that is added later only to its
 * first one: it refuses requests for it on the others.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { Network, type FolderStatus, type ProgramKind, type Member } from '../support/sync-pair.ts'
import { missingSyncthing } from '../support/syncthing.ts'
import { PASSWORD } from './encrypted-chain.ts'

const LIMIT_MS = 60_000
const TEST_MS_MAX = 400_000
const CONNECTIONS = 3
const FOLDERS = ['first folder', 'second folder', 'third folder']
/** Several blocks, so that more than one connection has something to carry. */
const LARGE_BYTES = 1_000_001
const program = process.env['SYNCTHING2_BIN']
const matrix: string[] = []
after(() => console.log(['', 'encrypted folders over several connections, Syncthing 2.x', ...matrix].join('\n')))

/** Two devices with the password, each connected with the untrusted one only. */
interface Chain {
  readonly first: Member
  readonly holder: Member
  readonly second: Member
}

async function connectedChain(
  network: Network,
  kinds: readonly [ProgramKind, ProgramKind, ProgramKind],
): Promise<Chain> {
  const [first, holder, second] = await Promise.all([
    network.add(kinds[0], 'first'),
    network.add(kinds[1], 'holder'),
    network.add(kinds[2], 'second'),
  ])
  for (const trusted of [first, second]) {
    await trusted.introduce(holder, { untrusted: true, numConnections: CONNECTIONS })
    await holder.introduce(trusted, { numConnections: CONNECTIONS })
    await eventually(
      `all connections of ${trusted.name}`,
      async () => {
        const both = await Promise.all([trusted.connectionTo(holder), holder.connectionTo(trusted)])
        return both.every((each) => each?.secondary?.length === CONNECTIONS - 1) || undefined
      },
      LIMIT_MS,
    )
  }
  return { first, holder, second }
}

async function addFolder(member: Member, id: string, more: Readonly<Record<string, unknown>>): Promise<void> {
  const path = join(member.root, id)
  mkdirSync(path)
  const folder = { id, path, fsWatcherEnabled: false, rescanIntervalS: 0, pullerPauseS: 1, ...more }
  await member.request('POST', '/rest/config/folders', folder)
}

async function addEncrypted({ first, holder, second }: Chain, folder: string): Promise<void> {
  const devices = [{ deviceID: holder.id, encryptionPassword: PASSWORD }]
  await addFolder(first, folder, { devices })
  await eventually(
    'the offer',
    async () => folder in ((await holder.get('/rest/cluster/pending/folders')) as object) || undefined,
    LIMIT_MS,
  )
  const sharedWith = [first, second].map(({ id }) => ({ deviceID: id }))
  await addFolder(holder, folder, { type: 'receiveencrypted', devices: sharedWith })
  await addFolder(second, folder, { devices })
}

async function pass(chain: Chain, folder: string, [from, to]: readonly [Member, Member], name: string): Promise<void> {
  const content = Buffer.alloc(LARGE_BYTES, `${name} of ${folder} `)
  writeFileSync(join(from.root, folder, name), content)
  await from.request('POST', `/rest/db/scan?folder=${encodeURIComponent(folder)}`)
  const target = join(to.root, folder, name)
  const arrived = (): true | undefined => {
    try {
      return readFileSync(target).equals(content) || undefined
    } catch {
      return undefined
    }
  }
  await eventually(`${name} of ${folder} at ${to.name}`, arrived, LIMIT_MS).catch(async (error: unknown) => {
    const { first, holder, second } = chain
    const facts = await Promise.all(
      [first, holder, second].map(async (each) => {
        const reply = (await each.get(`/rest/db/status?folder=${encodeURIComponent(folder)}`)) as FolderStatus
        return `${each.name}: ${reply.state}, needs ${reply.needTotalItems} of ${reply.globalTotalItems}`
      }),
    )
    throw new Error(`${String(error)}\n${facts.join('\n')}\n${holder.output.slice(-2_000)}`, { cause: error })
  })
}

const CHAINS: readonly (readonly [ProgramKind, ProgramKind, ProgramKind])[] = [
  ['syncthing', 'twinfold', 'twinfold'],
  ['twinfold', 'syncthing', 'twinfold'],
  ['syncthing', 'twinfold', 'syncthing'],
]

for (const kinds of CHAINS) {
  const title = `${kinds[0]} and ${kinds[2]} through an untrusted ${kinds[1]}`
  test(`B-30: encrypted folders added while connected several times, ${title}`, { timeout: TEST_MS_MAX }, async (t) => {
    if (program === undefined) {
      matrix.push(`${title}  not run: SYNCTHING2_BIN names no program`)
      return t.skip('SYNCTHING2_BIN names no program')
    }
    process.env['TWINFOLD_SYNCTHING'] = program
    const missing = missingSyncthing()
    if (missing !== undefined) return t.skip(missing)
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const chain = await connectedChain(network, kinds)
    const { first, second } = chain
    for (const folder of FOLDERS) {
      await addEncrypted(chain, folder)
      await pass(chain, folder, [first, second], 'there')
      await pass(chain, folder, [second, first], 'back')
    }
    matrix.push(`${title}  ${FOLDERS.length} of ${FOLDERS.length} folders in sync, both ways`)
  })
}
