import assert from 'node:assert/strict'
import { existsSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startDaemon } from '../support/daemon.ts'
import { reportRow } from '../support/effort.ts'
import { scratchDirectory } from '../support/scratch.ts'

test('D-08: a home behind a symlink, and one with an unusual path, work like any other', async () => {
  using scratch = scratchDirectory()
  const target = join(scratch.path, 'elsewhere')
  const link = join(scratch.path, 'link')
  mkdirSync(target)
  symlinkSync(target, link)
  const homes = [link, join(scratch.path, "it's a “home” %41\n日 $HOME", 'below')]
  for (const home of homes) {
    await using daemon = await startDaemon({ home })
    const { myID } = (await daemon.get('/rest/system/status')) as { readonly myID: string }
    assert.match(myID, /^[A-Z2-7]{7}-/)
    for (const name of ['config.xml', 'cert.pem', 'key.pem']) assert.ok(existsSync(join(home, name)), name)
  }
  assert.ok(lstatSync(link).isSymbolicLink(), 'the link stays')
  reportRow({ id: 'D-08', tried: homes.length, started: homes.length })
})
