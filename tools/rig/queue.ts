import { mkdirSync } from 'node:fs'
import { file } from '../../test/db/records.ts'
import type { Member } from '../../test/support/daemon-pair.ts'
import { eventually } from '../../test/support/scratch.ts'
import { newIdentity, ScriptedPeer } from '../../test/support/scripted-peer.ts'

const BATCH = 1_000
const PER_DIRECTORY = 500
const ANNOUNCED_MS_MAX = 120_000

/** A device announces many files and hangs up: the folder needs all of them, and nothing has to be on a disk. */
export async function announceQueue({ daemon, port }: Member, root: string, count: number): Promise<void> {
  const who = await newIdentity()
  await addArchive(daemon, root, who.id)
  await announce({ daemon, port }, who, count)
  // Items that failed because the device hung up are tried again, now without a source.
  for (const paused of [true, false]) await daemon.request('PATCH', '/rest/config/folders/archive', { paused })
}

async function addArchive(daemon: Daemon, root: string, id: string): Promise<void> {
  await daemon.post('/rest/config/devices', { deviceID: id, name: 'archive', addresses: ['tcp://127.0.0.1:20'] })
  mkdirSync(root, { recursive: true })
  await daemon.addFolder('archive', root, { label: 'Archive', devices: [{ deviceID: id }] })
}

type Daemon = Member['daemon']

async function announce(
  { daemon, port }: Pick<Member, 'daemon' | 'port'>,
  who: Awaited<ReturnType<typeof newIdentity>>,
  count: number,
): Promise<void> {
  await using peer = await eventually('the daemon to listen', () => ScriptedPeer.dial({ ...who, port }))
  await peer.introduce(['archive'], { maxSequence: count })
  for (let first = 0; first < count; first += BATCH) {
    const files = Array.from({ length: Math.min(BATCH, count - first) }, (_, at) =>
      file(nameOf(first + at), { sequence: first + at + 1 }),
    )
    const data = { folder: 'archive', files, lastSequence: first + files.length, prevSequence: first }
    await (first === 0 ? peer.connection.index(data) : peer.connection.indexUpdate(data))
  }
  await eventually(
    'the queue',
    async () => {
      const status = (await daemon.get('/rest/db/status?folder=archive')) as { needTotalItems: number }
      return status.needTotalItems >= count || undefined
    },
    ANNOUNCED_MS_MAX,
  )
}

function nameOf(at: number): string {
  return `box ${String(Math.floor(at / PER_DIRECTORY)).padStart(3, '0')} ${String(at).padStart(6, '0')}.bin`
}
