/** Two folders of one slow device: the files of the one with the higher priority arrive first, the other progresses. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../support/command.ts'
import { addPeer, startMember, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const FILE_BYTES = 32 * 1_024
/** 64 files per second. */
const SEND_KBPS = 2_048
const FILES = { high: 300, low: 100 } as const

interface FinishedEvent {
  readonly data: { readonly folder: keyof typeof FILES; readonly error: string | null }
}

async function finishedFiles({ daemon }: Member): Promise<readonly (keyof typeof FILES)[]> {
  const events = (await daemon.get('/rest/events?events=ItemFinished&since=0&timeout=0')) as readonly FinishedEvent[]
  return events.filter(({ data }) => data.error === null).map(({ data }) => data.folder)
}

test('the files of a folder with a higher priority arrive first, and the other still progresses', async () => {
  using scratch = scratchDirectory()
  await using sender = await startMember(scratch.path, 'sender')
  await using receiver = await startMember(scratch.path, 'receiver')
  await addPeer(sender, receiver)
  await addPeer(receiver, sender, { paused: true })
  const options = { maxSendKbps: SEND_KBPS, limitBandwidthInLan: true }
  await sender.daemon.request('PATCH', '/rest/config/options', options)
  for (const [id, count] of Object.entries(FILES)) {
    const [from, to] = [join(sender.root, id), join(receiver.root, id)]
    mkdirSync(from, { recursive: true })
    for (let file = 0; file < count; file++)
      writeFileSync(join(from, `${file}`), Buffer.alloc(FILE_BYTES, `${id} ${file}`))
    await sender.daemon.addFolder(id, from, { devices: [{ deviceID: receiver.id }] })
    await sender.daemon.post(`/rest/db/scan?folder=${id}`)
    await receiver.daemon.addFolder(id, to, { devices: [{ deviceID: sender.id }], paused: id === 'low' })
  }
  const where = ['--home', receiver.daemon.home, '--gui-address', receiver.daemon.url]
  const set = await runCommand(['folder', 'set', ...where, 'high', '--priority', '10'])
  assert.equal(set.code, 0, set.err)
  assert.deepEqual(await finishedFiles(receiver), [])

  const resume = (path: string) => receiver.daemon.request('PATCH', `/rest/config/${path}`, { paused: false })
  await resume(`devices/${sender.id}`)
  await eventually('the first file', async () => (await finishedFiles(receiver)).length > 0 || undefined)
  await resume('folders/low')
  const finished = await eventually('all files', async () => {
    const files = await finishedFiles(receiver)
    return files.length === FILES.high + FILES.low ? files : undefined
  })
  const lowBefore = finished.slice(0, finished.lastIndexOf('high')).filter((folder) => folder === 'low').length
  // With the same priority it is most of them.
  assert.ok(lowBefore >= 1 && lowBefore <= FILES.low / 3, `${lowBefore} of the other: ${finished.join()}`)
})
