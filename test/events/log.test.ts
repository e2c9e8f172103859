import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { FACILITY_NAMES } from '../../src/core/facilities.ts'
import { formatLine, printable } from '../../src/events/log-format.ts'
import { Log, parseTrace, type LogOptions } from '../../src/events/log.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'

function make(options: Partial<LogOptions> = {}) {
  const clock = new SimClock()
  const written: string[] = []
  const sink = { fail: undefined as Error | undefined }
  const write = (line: string) => {
    if (sink.fail !== undefined) throw sink.fail
    written.push(line)
  }
  const log = new Log({ clock, write }, { level: 'INFO', format: 'text', trace: '', ...options })
  return { clock, log, sink, written }
}

test('the level of every facility can be changed at run time and takes effect', () => {
  for (const facility of FACILITY_NAMES) {
    const { log, written } = make()
    const logger = log.logger(facility)
    logger.debug(() => assert.fail('built although disabled'))
    log.setLevel(facility, 'DEBUG')
    logger.debug(() => 'seen')
    log.setLevel(facility, 'INFO')
    logger.debug(() => 'hidden again')
    assert.equal(written.length, 1, facility)
    assert.ok(written[0]?.endsWith(`DBG ${facility}: seen`), written[0])
  }
})

test('a level applies to one facility only', () => {
  const { log, written } = make({ trace: 'model' })
  log.logger('scanner').debug(() => 'no')
  log.logger('model').debug(() => 'yes')
  assert.equal(written.length, 1)
})

test('a facility at WARN does not log INFO', () => {
  const { log, written } = make()
  log.setLevel('db', 'WARN')
  log.logger('db').info('no')
  log.logger('db').warn('yes')
  assert.equal(written.length, 1)
})

test('lines name devices that have a name here; debug lines, this device and unknown ones keep the whole ID', () => {
  const { log, written } = make({ trace: 'model' })
  const [ben, own, unnamed] = ['P56IOI7', 'MFZWI3D', 'QXGZDMM'].map((group) => Array(8).fill(group).join('-'))
  const names = new Map([
    [ben, 'Ben"s\nlaptop'],
    [unnamed, ''],
  ])
  log.setDeviceNames((id) => names.get(id))
  const logger = log.logger('model')
  const text = `from ${ben} to ${own} and ${unnamed}`
  logger.info(text)
  logger.debug(() => text)
  assert.match(written[0] ?? '', /model: from "Ben\\+"s\S*laptop" \(P56IOI7\) to MFZWI3D-MFZWI3D.* and QXGZDMM$/)
  assert.doesNotMatch(written[0] ?? '', /\n/)
  assert.ok(written[1]?.endsWith(text), written[1])
})

test('a text line has time, level, facility and message', () => {
  const { log, written } = make()
  log.logger('scanner').info('hello')
  assert.match(
    written[0] ?? '',
    /^2026-01-01 \d\d:\d\d:\d\d INF scanner: hello$|^2025-12-31 \d\d:\d\d:\d\d INF scanner: hello$/,
  )
})

test('a JSON line is one object with time, level, facility and message', () => {
  const { log, written } = make({ format: 'json' })
  log.logger('http').error('a "b"\n')
  assert.deepEqual(JSON.parse(written[0] ?? ''), {
    time: '2026-01-01T00:00:00.000Z',
    level: 'ERROR',
    facility: 'http',
    message: 'a "b"\\n',
  })
})

test('no message creates a second line or controls a terminal', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (message) => {
      const line = formatLine({ timeMs: 0, level: 'INFO', facility: 'model', message: printable(message) }, 'text')
      assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/)
      assert.ok(line.isWellFormed())
    }),
  )
  assert.equal(
    printable('x\n2026-01-01 00:00:00 ERR main: forged \u001b[2J\u202e'),
    'x\\n2026-01-01 00:00:00 ERR main: forged \\u001b[2J\\u202e',
  )
  assert.equal(printable('Übung 日本語 🙂'), 'Übung 日本語 🙂')
})

test('a message of any length becomes a line of bounded length', () => {
  assert.ok(printable('x'.repeat(1_000_000)).length < 10_000)
})

test('the ring keeps the last thousand lines, and returns those newer than a time', () => {
  const { clock, log } = make()
  for (let i = 0; i < 1_200; i++) log.logger('model').info(String(i))
  assert.deepEqual([log.lines().length, log.lines()[0]?.message], [1_000, '200'])
  const beforeMs = clock.nowMs()
  assert.deepEqual(log.lines(beforeMs), [])
  clock.jumpWall(1)
  log.logger('model').info('new')
  assert.deepEqual(
    log.lines(beforeMs).map((line) => line.message),
    ['new'],
  )
})

test('the last five warnings and errors are kept until they are cleared', () => {
  const { log } = make()
  for (let i = 0; i < 7; i++) log.logger('model').warn(`w${i}`)
  log.logger('model').info('not an error')
  assert.deepEqual(
    log.errors().map((line) => line.message),
    ['w2', 'w3', 'w4', 'w5', 'w6'],
  )
  log.clearErrors()
  assert.deepEqual(log.errors(), [])
})

test('an error reported through REST is stored as sent, and logged on one line', () => {
  const { log, written } = make()
  log.reportError('two\nlines')
  log.reportError('')
  assert.deepEqual(
    log.errors().map((line) => line.message),
    ['two\nlines', ''],
  )
  assert.ok(written[0]?.endsWith('reported from outside: two\\nlines'))
})

test('a failing sink loses lines only; the loss is reported when it works again', () => {
  const { log, sink, written } = make()
  sink.fail = new Error('ENOSPC: no space left on device')
  for (let i = 0; i < 3; i++) log.logger('model').info('lost')
  sink.fail = undefined
  log.logger('model').info('back')
  assert.equal(written.length, 2)
  assert.match(written[0] ?? '', /WRN events: 3 lines could not be written: ENOSPC/)
  assert.match(written[1] ?? '', /back$/)
  assert.equal(log.lines().length, 4)
})

test('a sink that logs its own errors does not recurse', () => {
  const clock = new SimClock()
  let calls = 0
  const log: Log = new Log(
    {
      clock,
      write: () => {
        calls++
        log.logger('main').error('cannot write')
        throw new Error('EPIPE')
      },
    },
    { level: 'INFO', format: 'text', trace: '' },
  )
  log.logger('model').info('x')
  assert.equal(calls, 1)
})

test('a debug message that fails to build logs the error instead', () => {
  const { log, written } = make({ trace: 'model' })
  log.logger('model').debug(() => {
    throw new Error('oops')
  })
  assert.match(written[0] ?? '', /could not build this log message: oops/)
})

const traces: [text: string, expected: Record<string, string>][] = [
  ['', {}],
  ['model', { model: 'DEBUG' }],
  ['model;scanner db', { model: 'DEBUG', scanner: 'DEBUG', db: 'DEBUG' }],
  [' model , http ', { model: 'DEBUG', http: 'DEBUG' }],
  ['api,walkfs,ur', { http: 'DEBUG', scanner: 'DEBUG', stats: 'DEBUG' }],
  ['model:warn,db:INFO', { model: 'WARN', db: 'INFO' }],
  ['nosuch,model', { model: 'DEBUG' }],
  ['model:LOUD', {}],
  ['__proto__,constructor', {}],
]
for (const [text, expected] of traces) {
  test(`STTRACE=${JSON.stringify(text)}`, () => assert.deepEqual(Object.fromEntries(parseTrace(text)), expected))
}

test('STTRACE=all switches every facility', () => assert.equal(parseTrace('all').size, FACILITY_NAMES.length))
