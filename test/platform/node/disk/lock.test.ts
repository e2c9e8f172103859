import assert from 'node:assert/strict'
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { test } from 'node:test'
import { nodeDisk } from '../../../../src/platform/node/disk/disk.ts'
import { reportRow } from '../../../support/effort.ts'
import { scratchDirectory } from '../../../support/scratch.ts'

const HOLDER = join(import.meta.dirname, '..', 'lock-holder.ts')

test('D-01: of twenty processes that race for a lock exactly one gets it', async () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'syncthing.lock')
  const holders = Array.from({ length: 20 }, () => startHolder(['hold', path]))
  const answers = await Promise.all(holders.map(firstLine))
  const won = answers.filter((answer) => answer === 'locked').length
  await Promise.all(holders.map(endHolder))
  reportRow({
    id: 'D-01',
    what: 'lock',
    tried: 20,
    won,
    refused: answers.filter((answer) => answer === 'refused').length,
  })
  assert.equal(won, 1)
  assert.equal(answers.filter((answer) => answer === 'refused').length, 19)
})

test('D-01: the file that a killed process leaves is no obstacle', async () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'syncthing.lock')
  const holder = startHolder(['hold', path])
  assert.equal(await firstLine(holder), 'locked')
  assert.equal(await nodeDisk.lock(path), undefined)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  assert.ok((await stat(path)).isFile())
  await using lock = await nodeDisk.lock(path)
  assert.ok(lock !== undefined)
})

test('whoever holds flock(2) on the file keeps us out, and we them', async () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'syncthing.lock')
  const other = startFlock(path, ['sh', '-c', 'echo locked; cat'])
  assert.equal(await firstLine(other), 'locked')
  assert.equal(await nodeDisk.lock(path), undefined)
  await endHolder(other)
  await using lock = await nodeDisk.lock(path)
  assert.ok(lock !== undefined)
  const refused = startFlock(path, ['echo', 'locked'])
  const [code] = await once(refused, 'exit')
  assert.equal(code, 1)
})

test('a lock that many processes take and remove again and again is never taken by two at once', async () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'syncthing.lock')
  const holders = Array.from({ length: 4 }, () => startHolder(['churn', path, '25']))
  const answers = await Promise.all(holders.map(firstLine))
  await Promise.all(holders.map(endHolder))
  assert.deepEqual(answers, ['done', 'done', 'done', 'done'])
})

test('without the flock command Twinfolds still keep each other out, also after a kill', async () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'syncthing.lock')
  const without = { PATH: scratch.path }
  const first = startHolder(['hold', path], without)
  assert.equal(await firstLine(first), 'locked')
  const second = startHolder(['hold', path], without)
  assert.equal(await firstLine(second), 'refused')
  first.kill('SIGKILL')
  await Promise.all([once(first, 'exit'), endHolder(second)])
  const third = startHolder(['hold', path], without)
  assert.equal(await firstLine(third), 'locked')
  await endHolder(third)
})

type Holder = ChildProcessByStdio<Writable, Readable, null>

function startHolder(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Holder {
  return spawn(process.execPath, [HOLDER, ...args], { stdio: ['pipe', 'pipe', 'inherit'], env })
}

function startFlock(path: string, command: readonly string[]): Holder {
  return spawn('flock', ['-n', '-x', path, ...command], { stdio: ['pipe', 'pipe', 'inherit'] })
}

async function firstLine(holder: Holder): Promise<string> {
  for await (const line of createInterface({ input: holder.stdout })) return line
  return 'nothing'
}

async function endHolder(holder: Holder): Promise<void> {
  if (holder.exitCode !== null || holder.signalCode !== null) return
  const ended = once(holder, 'exit')
  holder.stdin.on('error', () => {}) // it may have ended by itself
  holder.stdin.end()
  await ended
}
