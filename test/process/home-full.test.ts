/** The disk of the home is full: nothing is lost, the reason is shown, and everything continues once there is room. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startDaemon } from '../support/daemon.ts'
import { reportRow } from '../support/effort.ts'
import { missingMounts } from '../support/mounts.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const FILES = 3_000

interface Status {
  readonly state: string
  readonly error: string
  readonly localFiles: number
}

/** Starts the command with a copy of the home on a small disk of its own, which no other process sees. */
function onSmallDisk(home: string, disk: string): readonly string[] {
  const mount = 'mount -t tmpfs -o size=6m none "$0" && cp -a "$1/." "$0" && mount --bind "$0" "$1"'
  const script = `${mount} && shift && exec "$@"`
  return ['unshare', '-m', '--propagation', 'private', 'sh', '-c', script, disk, home]
}

function fill(path: string): void {
  for (const sizeBytes of [1_048_576, 4_096, 1])
    for (;;)
      try {
        writeFileSync(path, Buffer.alloc(sizeBytes), { flag: 'a' })
      } catch {
        break
      }
}

test(
  'C-06: with a full disk of the home nothing is lost, the reason is shown, and it continues with room',
  {
    skip: missingMounts(),
  },
  async () => {
    using scratch = scratchDirectory()
    const [home, disk, root] = ['home', 'disk', 'docs'].map((name) => join(scratch.path, name)) as [
      string,
      string,
      string,
    ]
    for (const path of [disk, root]) mkdirSync(path)
    await (await startDaemon({ home }))[Symbol.asyncDispose]() // creates the home
    await using daemon = await startDaemon({ home, before: onSmallDisk(home, disk) })
    const inside = `/proc/${daemon.child.pid}/root${home}`
    const configuration = () => readFileSync(join(inside, 'config.xml'), 'utf8')
    const status = async () => (await daemon.get('/rest/db/status?folder=docs')) as Status
    const scan = () => daemon.request('POST', '/rest/db/scan?folder=docs')
    await daemon.request('PATCH', '/rest/config/options', { minHomeDiskFree: { value: 0, unit: '%' } })
    writeFileSync(join(root, 'first.txt'), 'first')
    await daemon.addFolder('docs', root)
    await scan()
    assert.equal((await status()).localFiles, 1)

    fill(join(inside, 'ballast'))
    const before = configuration()
    for (let at = 0; at < FILES; at++) writeFileSync(join(root, `new ${at}.txt`), String(at))
    assert.match(await (await scan()).text(), /no space left .* for the index database/)
    const stopped = await status()
    assert.deepEqual([stopped.state, stopped.localFiles], ['error', 1])
    assert.match(stopped.error, /^no space left/)
    const refused = await daemon.request('PATCH', '/rest/config/options', { maxFolderConcurrency: 1 })
    assert.equal(refused.status, 500)
    assert.match(await refused.text(), /^cannot save .*config\.xml: .*no space left/)
    assert.equal(configuration(), before)

    rmSync(join(inside, 'ballast'))
    await eventually(
      'all files',
      async () => ((await scan()).ok && (await status()).localFiles === FILES + 1) || undefined,
    )
    assert.equal((await status()).state, 'idle')
    const accepted = await daemon.request('PATCH', '/rest/config/options', { maxFolderConcurrency: 1 })
    assert.equal(accepted.status, 200)
    reportRow({ id: 'C-06', part: 'index and configuration', tried: FILES })
  },
)
