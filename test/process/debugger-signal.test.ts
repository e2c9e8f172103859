import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Daemon } from '../support/daemon.ts'
import { scratchDirectory } from '../support/scratch.ts'

test('SIGUSR1 opens no debugger and does not end the daemon', async () => {
  using scratch = scratchDirectory()
  await using daemon = await new Daemon({ home: scratch.path }).ready()
  daemon.child.kill('SIGUSR1')
  assert.deepEqual(await daemon.get('/rest/noauth/health'), { status: 'OK' })
  assert.equal(await daemon.signal('SIGTERM'), 0)
  assert.doesNotMatch(daemon.output, /Debugger listening/)
})
