/** A new home, and homes where none can be. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../support/command.ts'
import { scratchDirectory } from '../support/scratch.ts'

test('a new home does not start with an open page, and nothing is created', async () => {
  using scratch = scratchDirectory()
  const home = join(scratch.path, 'home')
  for (const attempt of [
    runCommand(['serve', '--home', home, '--gui-address', '0.0.0.0:0']),
    runCommand(['serve', '--home', home], { env: { STGUIADDRESS: ':0' } }),
  ]) {
    const { code, err } = await attempt
    assert.equal(code, 1)
    assert.match(err, /^twinfold: error: the page on .*:0 would be open .*--allow-open-gui/)
    assert.equal(existsSync(home), false)
  }
})

test('generate below /proc ends with an error', { skip: process.platform !== 'linux' }, async () => {
  const { code, err } = await runCommand(['generate', '--home', '/proc/nowhere/home'])
  assert.equal(code, 1)
  assert.match(err, /^twinfold: error: ENOENT/)
})
