import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import type { Environment } from '../../../src/cli/args/flag-spec.ts'
import { plainServeFlags, readDaemonChoice } from '../../../src/main/args/serve-options.ts'
import { parse } from './parse-args.ts'

test('a flag may be repeated if the table allows it', () => {
  assert.deepEqual(parse(['folder', 'add', '/p', '--device', 'A', '-device=B']).flags.texts('device'), ['A', 'B'])
  assert.deepEqual(parse(['folder', 'add', '/p', '--label', 'A', '--label=B']).flags.texts('label'), ['B'])
})

test('an unknown command is an unexpected argument, with the nearest one', () => {
  assert.throws(() => parse(['xyzzy']), { message: 'unexpected argument xyzzy' })
  assert.throws(() => parse(['stauts']), { message: 'unexpected argument stauts\n(Did you mean status?)' })
  assert.throws(() => parse(['folder', 'lits']), { message: 'unexpected argument lits\n(Did you mean list?)' })
})

test('a mistyped word is suggested in a request of help, in choices and in values of flags, too', () => {
  const message = (args: readonly string[]) => {
    try {
      return parse(args).command.name
    } catch (error) {
      return error instanceof TwinfoldError ? error.message : String(error)
    }
  }
  assert.equal(message(['stauts', '--help']), 'unexpected argument stauts\n(Did you mean status?)')
  assert.equal(message(['folder', 'lits', '--help']), 'unexpected argument lits\n(Did you mean list?)')
  assert.equal(message(['network', 'onn']), 'unexpected argument onn; use status, on or off\n(Did you mean on?)')
  assert.match(message(['folder', 'add', '/p', '--type', 'sendonyl']), /receiveencrypted\n\(Did you mean sendonly\?\)$/)
})

test('a flag of another command is unknown, its value is not shown, and the nearest one is', () => {
  assert.throws(() => parse(['folder', 'add', '/p', '--lable=secret']), {
    message: 'unknown flag --lable\n(Did you mean --label?)',
  })
  assert.throws(
    () => parse(['scan', 'f', '--gui-password', 'secret']),
    (error) => error instanceof TwinfoldError && /^unknown flag --gui-password(?!.*secret)/s.test(error.message),
  )
  assert.throws(() => parse(['--paused', 'cli', 'show']), { message: 'unknown flag --paused' })
})

test('the address of the daemon may be anywhere among the arguments', () => {
  const choice = (args: string[], environment: Environment = {}) => readDaemonChoice(parse(args, environment).flags)
  assert.deepEqual(choice(['scan', '--home', '/h', 'f', '--next', '3']), { directories: { home: '/h' } })
  assert.deepEqual(choice(['status', '--gui-address=h:1', '--gui-apikey', 'k']), {
    directories: {},
    guiAddress: 'h:1',
    guiApiKey: 'k',
  })
  assert.deepEqual(choice(['scan', 'f', '--', '--home'], { STHOMEDIR: '/e' }), { directories: { home: '/e' } })
  assert.deepEqual(choice(['cli', 'show'], { STGUIADDRESS: 'h:1' }), { directories: {}, guiAddress: 'h:1' })
})

test('a start is read without commander only when nothing else is on the command line', () => {
  for (const args of [
    'bogus',
    'serve bogus',
    '--no-such-flag',
    '--home',
    '-h',
    '-- x',
    'status',
    '--version',
    'serve --json',
  ]) {
    assert.equal(plainServeFlags(args.split(' '), {}), undefined, args)
  }
})
