import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startDaemon } from '../support/daemon.ts'
import { reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const PLANTED = join(import.meta.dirname, '..', 'support', 'fail-on-signal.mjs')

test('C-40: a rejection without a handler is logged and counted, an exception ends the daemon', async () => {
  using scratch = scratchDirectory()
  await using daemon = await startDaemon({ home: join(scratch.path, 'home'), nodeArgs: ['--import', PLANTED] })
  const metric = async (kind: string) => {
    const text = await (await daemon.request('GET', '/metrics')).text()
    return Number(new RegExp(`^twinfold_unhandled_failures_total\\{kind="${kind}"\\} (\\d+)$`, 'm').exec(text)?.[1])
  }
  assert.equal(await metric('rejection'), 0)
  for (let count = 1; count <= 3; count++) {
    daemon.child.kill('SIGUSR2')
    await eventually('the rejection to be counted', async () => (await metric('rejection')) === count || undefined)
  }
  const { errors } = (await daemon.get('/rest/system/error')) as { errors: readonly { message: string }[] }
  const unhandled = errors.filter(({ message }) => message.includes('unhandled'))
  assert.equal(unhandled.length, 1, 'once for one place')
  assert.match(unhandled[0]!.message, /unhandled rejection at .*fail-on-signal\.mjs.*: planted rejection; going on/)
  const { messages } = (await daemon.get('/rest/system/log')) as { messages: readonly { message: string }[] }
  assert.ok(
    messages.some(({ message }) => /^(?:main: )?\s*at .*fail-on-signal\.mjs/.test(message)),
    'the stack',
  )
  const failures = (await daemon.get('/rest/events?events=Failure&timeout=1')) as readonly unknown[]
  assert.equal(failures.length, 1)
  daemon.child.kill('SIGWINCH')
  assert.equal(await daemon.ended(), 1)
  assert.match(daemon.output, /unhandled exception at .*fail-on-signal\.mjs.*: planted exception; .*stopping/)
  assert.match(daemon.output, /\bstopped\b/, 'in order')
  reportRow({ id: 'C-40', tried: 4, ends: 1 })
})
