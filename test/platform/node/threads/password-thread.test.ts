import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inspect } from 'node:util'
import { pathToFileURL } from 'node:url'
import { test } from 'node:test'
import { TwinfoldError } from '../../../../src/core/errors.ts'
import { PasswordThread } from '../../../../src/platform/node/threads/password-thread.ts'
import { SALT_BYTES } from '../../../../src/platform/passwords.ts'
import { eventually, scratchDirectory } from '../../../support/scratch.ts'

const SALT = new Uint8Array(SALT_BYTES)
const FAILING = new URL('../failing-password-worker.ts', import.meta.url)
const SOURCES = join(import.meta.dirname, '..', '..', '..', '..', 'src', 'platform')

function saysWhy(words: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof TwinfoldError && error.code === 'password-unavailable' && words.test(error.message)
}

test('the thread starts with the first task, ends after the last, and starts again', async () => {
  let ended = 0
  await using thread = new PasswordThread({ onEnded: () => void ended++ })
  assert.equal(thread.isStarted, false)
  for (const round of [1, 2]) {
    await Promise.all([thread.hash('a', SALT), thread.hash('b', SALT)])
    assert.deepEqual([thread.isStarted, ended], [true, round - 1])
    await eventually('the idle thread to end', () => (thread.isStarted || ended < round ? undefined : 'ended'))
  }
})

test('at most 64 tasks are under way; one more is refused at once with a reason', async () => {
  await using thread = new PasswordThread({ entry: FAILING })
  const tasks = Array.from({ length: 64 }, () => thread.hash('x', SALT))
  await assert.rejects(thread.hash('x', SALT), saysWhy(/too many passwords are waiting/))
  assert.deepEqual(new Set(await Promise.all(tasks)), new Set(['text']))
  assert.equal(await thread.verify('right', ''), true)
})

test('a failing thread rejects all pending tasks, without passwords, and the next task gets a new one', async () => {
  await using thread = new PasswordThread({ entry: FAILING })
  for (const how of ['exit', 'throw']) {
    const both: Promise<unknown>[] = [thread.hash(how, SALT), thread.verify('right', '')]
    for (const each of both) await assert.rejects(each, saysWhy(/the thread for passwords failed \(Error\)/))
    const error: unknown = await thread.hash(how, SALT).catch((reason: unknown) => reason)
    assert.doesNotMatch(inspect(error), /not for the log/)
    assert.equal(await thread.verify('right', ''), true)
  }
  await assert.rejects(thread.hash('nothing', SALT), saysWhy(/bcrypt failed/))
  await assert.rejects(thread.hash('right', SALT), saysWhy(/wrong result/))
  await assert.rejects(thread.verify('other', ''), saysWhy(/wrong result/))
})

test('a task has a limited time', async () => {
  await using thread = new PasswordThread({ entry: FAILING, taskMsMax: 200 })
  await assert.rejects(thread.hash('silence', SALT), saysWhy(/no result within 0\.2 s/))
})

test('a thread whose file or package is missing names it, and no path', async () => {
  using scratch = scratchDirectory()
  await using lost = new PasswordThread({ entry: pathToFileURL(join(scratch.path, 'password-worker.ts')) })
  const missing = saysWhy(
    /^passwords cannot be checked or set: the module password-worker\.ts is missing; reinstall Twinfold$/,
  )
  await assert.rejects(lost.hash('a', SALT), missing)

  const entry = join(scratch.path, 'node', 'threads', 'password-worker.ts')
  writeFileSync(join(scratch.path, 'package.json'), '{"type":"module"}')
  for (const file of ['node/threads/password-worker.ts', 'files/password-task.ts', 'passwords.ts']) {
    mkdirSync(dirname(join(scratch.path, file)), { recursive: true })
    copyFileSync(join(SOURCES, file), join(scratch.path, file))
  }
  await using bare = new PasswordThread({ entry: pathToFileURL(entry) })
  for (const work of [bare.hash('a', SALT), bare.verify('a', 'b')]) {
    await assert.rejects(work, saysWhy(/: the package bcryptjs is missing; reinstall Twinfold$/))
  }
})

test('closed, it ends its thread and refuses', async () => {
  const thread = new PasswordThread({ entry: FAILING })
  const waiting = assert.rejects(thread.hash('silence', SALT), saysWhy(/stopping/))
  await thread[Symbol.asyncDispose]()
  await waiting
  assert.equal(thread.isStarted, false)
  await assert.rejects(thread.verify('right', ''), saysWhy(/stopping/))
})
