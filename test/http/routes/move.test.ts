import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { fakeMover } from '../fake-hub.ts'
import { fakeRest } from '../fakes.ts'

test('POST move: a preview changes nothing, the move itself is begun', async () => {
  const { calls, call } = restOf()
  const preview = await call('POST', '/rest/twinfold/move?folder=share&path=/mnt/share&preview=true')
  assert.deepEqual([preview.json().preview.method, preview.json().move, calls], ['copy', null, []])
  const begun = await call('POST', '/rest/twinfold/move?folder=share&path=/mnt/share')
  assert.deepEqual([begun.json().move.state, begun.json().move.ended], ['prepared', null])
  assert.deepEqual(calls, ['move share /mnt/share'])
})

test('GET and DELETE move: the progress, and the end of it', async () => {
  const { calls, call } = restOf()
  assert.deepEqual((await call('GET', '/rest/twinfold/move?folder=share')).json(), { move: null })
  assert.equal((await call('DELETE', '/rest/twinfold/move?folder=share')).status, 200)
  assert.deepEqual(calls, ['cancel share'])
})

test('what is missing is a bad request; what is refused says why', async () => {
  const { call } = restOf()
  assert.equal((await call('POST', '/rest/twinfold/move?folder=share')).status, 400)
  assert.equal((await call('POST', '/rest/twinfold/move?path=/mnt')).status, 400)
  assert.equal((await call('POST', '/rest/twinfold/move?folder=share&path=/mnt&preview=maybe')).status, 400)
  const refusing = restOf(new TwinfoldError('refused', '/mnt is not empty'))
  const refused = await refusing.call('POST', '/rest/twinfold/move?folder=share&path=/mnt')
  assert.deepEqual([refused.status, refused.text.trim()], [409, '/mnt is not empty'])
  const missing = restOf(new TwinfoldError('folder-missing', 'no such folder'))
  assert.equal((await missing.call('POST', '/rest/twinfold/move?folder=nothing&path=/mnt')).status, 404)
})

function restOf(failure?: Error) {
  const calls: string[] = []
  const mover = fakeMover(calls)
  const start = failure === undefined ? mover.start : async () => Promise.reject(failure)
  const rest = fakeRest({ deps: { mover: { ...mover, start } } })
  const call = async (method: string, target: string) => {
    const { status, body } = await rest.send(method, target)
    return { status, text: body, json: () => JSON.parse(body) }
  }
  return { calls, call }
}
