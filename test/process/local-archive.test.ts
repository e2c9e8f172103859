/** Local deletions and edits in the trash, on a btrfs of its own: it clones files for free. */
import { spawnSync } from 'node:child_process'
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCli } from '../../src/cli/program.ts'
import { Client } from '../../src/client/client.ts'
import { parseEndpoint } from '../../src/client/endpoint.ts'
import { nodeTransport } from '../../src/client/node.ts'
import { recordingContext } from '../support/cli.ts'
import { startDaemon, type Daemon } from '../support/daemon.ts'
import { required } from '../support/debian.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { unpackedProgram } from '../support/unpacked-package.ts'

const FILE_BYTES = 16 * 1024 * 1024
const IMAGE_BYTES = 256 * 1024 * 1024

const mkfs = unpackedProgram('btrfs-progs', 'sbin/mkfs.btrfs')

/** Makes a btrfs in a file and mounts it once, in a namespace that ends. */
function missingBtrfs(): string | undefined {
  if (mkfs.missing !== undefined) return mkfs.missing
  using scratch = scratchDirectory()
  const image = makeImage(scratch.path)
  const mount = `mount -o loop '${image}' /mnt`
  if (image !== undefined && spawnSync('unshare', ['-m', 'sh', '-c', mount], { timeout: 60_000 }).status === 0)
    return undefined
  return required('a btrfs cannot be mounted here (mkfs.btrfs, unshare -m, mount -o loop: needs root and loop devices)')
}

function makeImage(directory: string): string | undefined {
  const image = join(directory, 'image')
  writeFileSync(image, '')
  truncateSync(image, IMAGE_BYTES)
  return spawnSync(mkfs.path, ['-q', image], { timeout: 60_000 }).status === 0 ? image : undefined
}

function commands(daemon: Daemon) {
  const transport = nodeTransport(parseEndpoint(daemon.url, { useTls: false }))
  const client = new Client({ transport, apiKey: daemon.apiKey })
  return async (...args: readonly string[]) => {
    const { context, out, err } = recordingContext(client)
    return { code: await runCli(context, args), out: out.join('\n'), err: err.join('\n') }
  }
}

function usedBytes(path: string): number {
  spawnSync('sync', ['-f', path], { timeout: 60_000 })
  const { bsize, blocks, bfree } = statfsSync(path)
  return (blocks - bfree) * bsize
}

test(
  'on btrfs a deletion and an edit of the user are in the trash, without space for the clones',
  {
    skip: missingBtrfs(),
  },
  async () => {
    using scratch = scratchDirectory()
    const image = makeImage(scratch.path)
    const disk = join(scratch.path, 'disk')
    const plain = join(scratch.path, 'plain')
    mkdirSync(disk)
    mkdirSync(plain)
    const mounted = `mount -o loop '${image}' '${disk}' && mount -t tmpfs none '${plain}' && exec "$@"`
    const before = ['unshare', '-m', '--propagation', 'private', 'sh', '-c', mounted, 'mounted']
    const home = join(scratch.path, 'home')
    const content = randomBytes(FILE_BYTES)
    {
      await using daemon = await startDaemon({ home, before })
      const run = commands(daemon)
      const root = `/proc/${daemon.child.pid}/root${disk}/docs`
      const scan = () => daemon.post('/rest/db/scan?folder=docs')
      await daemon.addFolder('plain', plain)
      await daemon.post('/rest/db/scan?folder=plain')
      const refused = async () => (await run('folder', 'set', 'plain', '--archive-local', 'on')).err
      assert.match(await refused(), /keeps no old versions: use "folder set plain --safety on" first/)
      assert.equal((await run('folder', 'set', 'plain', '--safety', 'on')).code, 0)
      await daemon.post('/rest/db/scan?folder=plain')
      assert.match(await refused(), /does not clone files \(\w+\): local deletions and edits are kept only by/)

      await daemon.addFolder('docs', join(disk, 'docs'))
      assert.equal((await run('folder', 'set', 'docs', '--safety', 'on')).code, 0)
      await scan()
      writeFileSync(join(root, 'large.bin'), content)
      mkdirSync(join(root, 'd'))
      writeFileSync(join(root, 'd/note.txt'), 'first')
      await scan()
      const usedBefore = usedBytes(root)
      const on = await run('folder', 'set', 'docs', '--archive-local', 'on')
      assert.deepEqual(on, { code: 0, out: 'Folder "docs": local deletions and edits archived.', err: '' })
      await scan()
      const more = usedBytes(root) - usedBefore
      assert.ok(more < FILE_BYTES / 16, `${more} bytes for clones of ${FILE_BYTES}`)

      rmSync(join(root, 'large.bin'))
      writeFileSync(join(root, 'd/note.txt'), 'second')
      await scan()
      const { out } = await run('trash', 'list', 'docs')
      assert.match(out, /large\.bin/)
      assert.match(out, /d\/note\.txt/)
      assert.equal((await run('trash', 'restore', 'docs', 'large.bin')).code, 0)
      assert.ok(readFileSync(join(root, 'large.bin')).equals(content))
      assert.equal((await run('trash', 'restore', 'docs', 'd/note.txt')).code, 0)
      assert.equal(readFileSync(join(root, 'd/note.txt'), 'utf8'), 'first')
      await scan()
      assert.ok(usedBytes(root) - usedBefore < FILE_BYTES / 16)
      rmSync(join(root, 'd'), { recursive: true })
      await daemon.signal('SIGKILL') // before a scan has found it
    }
    await using daemon = await startDaemon({ home, before })
    await daemon.post('/rest/db/scan?folder=docs')
    const run = commands(daemon)
    const found = JSON.parse((await run('trash', 'list', 'docs', '--json')).out)
    assert.match(JSON.stringify(found), /d\/note\.txt/)
    assert.equal((await run('trash', 'restore', 'docs', 'd')).code, 0)
    const root = `/proc/${daemon.child.pid}/root${disk}/docs`
    assert.equal(readFileSync(join(root, 'd/note.txt'), 'utf8'), 'first')
  },
)
