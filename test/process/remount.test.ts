import { execFileSync } from 'node:child_process'
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startDaemon } from '../support/daemon.ts'
import { missingMounts } from '../support/mounts.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

test('a disk that is unmounted and mounted again is watched again', { skip: missingMounts() }, async () => {
  using scratch = scratchDirectory()
  const root = join(scratch.path, 'root')
  mkdirSync(root)
  const mount = (path: string): string => `mount -t tmpfs none '${path}'`
  const before = ['unshare', '-m', '--propagation', 'private', 'sh', '-c', `${mount(root)} && exec "$@"`, 'mounted']
  await using daemon = await startDaemon({ home: join(scratch.path, 'home'), before })
  const inside = (script: string) =>
    execFileSync('nsenter', ['-t', String(daemon.child.pid), '-m', 'sh', '-c', `set -e; cd /; ${script}`])
  // Without rescans: whatever is found was seen by the watches.
  await daemon.addFolder('docs', root, { fsWatcherEnabled: true, fsWatcherDelayS: 0.2, rescanIntervalS: 0 })
  await daemon.post('/rest/db/scan?folder=docs')
  const found = async (file: string): Promise<void> => {
    inside(`echo x > '${root}/${file}'`)
    await eventually(file, async () => {
      return (await daemon.request('GET', `/rest/db/file?folder=docs&file=${file}`)).ok || undefined
    })
  }
  await found('first')
  for (let round = 0; round < 2; round++) {
    // At once, so that no check of the folder sees it missing.
    inside(`umount '${root}'; ${mount(root)}; mkdir '${root}/.stfolder' '${root}/disk'`)
    await eventually('the directory of the new disk', async () => {
      return (await daemon.request('GET', '/rest/db/file?folder=docs&file=disk')).ok || undefined
    })
    await found(`root-${round}`)
  }

  inside(mount(`${root}/disk`))
  await daemon.post('/rest/db/scan?folder=docs') // no event announces a mount
  await found('disk/inside')
  inside(`umount '${root}/disk'; ${mount(`${root}/disk`)}; mkdir '${root}/disk/sub'`)
  await daemon.post('/rest/db/scan?folder=docs')
  await found('disk/again')
  assert.equal(((await daemon.get('/rest/db/status?folder=docs')) as { watchError: string }).watchError, '')
})
