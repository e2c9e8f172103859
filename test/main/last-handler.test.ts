import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LastHandler } from '../../src/main/last-handler.ts'

function collect() {
  const [errors, events] = [[] as string[], [] as string[]]
  let ends = 0
  const handler = new LastHandler({
    log: {
      facility: 'main',
      debug: () => {},
      info: () => {},
      warn: () => {},
      error: (text: string) => void errors.push(text),
    },
    events: { emit: (type) => void events.push(type) },
    end: () => void ends++,
  })
  return { handler, errors, events, ends: () => ends }
}

test('C-40: failures of one place are logged at powers of ten, and any number of places takes bounded memory', () => {
  const { handler, errors, events, ends } = collect()
  const error = new Error('again')
  for (let i = 0; i < 1_000; i++) assert.equal(handler.handle({ kind: 'rejection', error }), 'go-on')
  assert.equal(errors.length, 4)
  assert.equal(events.length, 4)
  assert.match(errors[0]!, /unhandled rejection at .*last-handler\.test\.ts.*: again; going on$/)
  assert.match(errors[3]!, /\(1000 times\)$/)
  for (let i = 0; i < 10_000; i++) {
    const other = new Error('other')
    other.stack = `Error: other\n    at place${i} (/x/src/${i}.ts:1:1)`
    handler.handle({ kind: 'rejection', error: other })
  }
  assert.ok(errors.length < 120, `${errors.length} lines for 10,000 places`)
  assert.equal(ends(), 0)
})

test('C-40: a lost invariant ends the daemon', () => {
  const { handler, errors, ends } = collect()
  assert.equal(handler.handle({ kind: 'exception', error: new TypeError('x') }), 'end')
  assert.equal(ends(), 1)
  assert.match(errors[0]!, /stopping/)
})
