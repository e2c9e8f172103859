/** Addresses of places, and what they say about the view. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf, parseParams, parsePlace, withParams } from '../../gui/base/address.ts'

test('a place is read from its address, with or without parameters', () => {
  const place = ['folders', 'a b', 'files', 'x/ü?.txt']
  assert.deepEqual(parsePlace(addressOf(...place)), place)
  assert.deepEqual(parsePlace(`${addressOf(...place)}?search=y%2Fz`), place)
  assert.deepEqual(parsePlace('#/?x=1'), [])
  assert.deepEqual(parsePlace('#/a/%E0%A4%A'), ['a', '%E0%A4%A'])
})

test('parameters are changed one by one; an empty one is left out', () => {
  const address = withParams('#/log', { search: 'a b&c=d', level: 'info' })
  assert.deepEqual(parseParams(address), { search: 'a b&c=d', level: 'info' })
  assert.deepEqual(parsePlace(address), ['log'])
  assert.deepEqual(parseParams(withParams(address, { search: '' })), { level: 'info' })
  assert.equal(withParams(withParams(address, { search: '' }), { level: '' }), '#/log')
  assert.equal(withParams('', { open: 'a//b/c' }), '#/?open=a%2F%2Fb%2Fc')
})
