import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { file } from '../../db/records.ts'
import { LOCAL_ID, SERVER } from '../../support/config.ts'
import { DOCS, folderId } from '../../support/model.ts'
import { connectionBetween, DevicePair } from './linked-peers.ts'

const MUSIC = folderId('music')

function failure(): Promise<never> {
  const rejection = Promise.reject(new TwinfoldError('database-unavailable', 'cannot use the index database'))
  rejection.catch(() => {}) // reported to the reader of the index
  return rejection
}

test('C-08: a folder whose index cannot be opened is announced as paused; the others are exchanged', async () => {
  await using pair = await DevicePair.make(['docs', 'music'])
  const [a, b] = pair.devices
  a.failures.set(MUSIC, failure())
  await a.add('one')
  const [near, far] = connectionBetween(LOCAL_ID, SERVER, '1')
  a.peers.attach(near)
  b.peers.attach(far)
  await pair.pass(0)
  assert.ok(!near.closed.aborted, String(near.closed.reason))
  assert.deepEqual([...a.unusable], [MUSIC])
  assert.equal(await b.receivedNames(a), 'one')
  assert.deepEqual([b.peers.remoteState(LOCAL_ID, DOCS), b.peers.remoteState(LOCAL_ID, MUSIC)], ['valid', 'paused'])
})

test('C-08: an index that fails while it is received stops only its folder until it works again', async () => {
  await using pair = await DevicePair.make(['docs', 'music'])
  const [a, b] = pair.devices
  const [near, far] = connectionBetween(LOCAL_ID, SERVER, '1')
  a.peers.attach(near)
  b.peers.attach(far)
  await pair.pass(0)
  const { updateRemote } = b.index.records
  b.index.records.updateRemote = () => failure()
  await a.add('one')
  await pair.pass(300)
  assert.ok(!near.closed.aborted, String(near.closed.reason))
  assert.deepEqual([...b.unusable], [DOCS])
  assert.deepEqual([a.peers.remoteState(SERVER, DOCS), a.peers.remoteState(SERVER, MUSIC)], ['paused', 'valid'])
  await a.add('two') // what arrives meanwhile is dropped
  await pair.pass(300)
  b.index.records.updateRemote = updateRemote
  b.setUsable(DOCS, true)
  await pair.pass(300)
  assert.ok(!near.closed.aborted, String(near.closed.reason))
  assert.equal(await b.receivedNames(a), 'one two')
  assert.equal(a.peers.remoteState(SERVER, DOCS), 'valid')
})

test('C-08: an index that fails while it is sent stops the exchange of its folder only', async () => {
  await using pair = await DevicePair.make(['docs', 'music'])
  const [a, b] = pair.devices
  const [near, far] = connectionBetween(LOCAL_ID, SERVER, '1')
  a.peers.attach(near)
  b.peers.attach(far)
  await pair.pass(0)
  await a.index.records.updateLocal([file('one')])
  const { localSince } = a.index.exchange
  a.index.exchange.localSince = () => failure()
  a.signals.localIndexChanged.emit(DOCS)
  await pair.pass(300)
  assert.ok(!near.closed.aborted, String(near.closed.reason))
  assert.deepEqual([...a.unusable], [DOCS])
  a.index.exchange.localSince = localSince
  a.setUsable(DOCS, true)
  await pair.pass(300)
  assert.equal(await b.receivedNames(a), 'one')
})
