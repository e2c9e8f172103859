import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress, type RelayAddress } from '../../src/core/network/address.ts'
import { AvoidedRelays } from '../../src/relay/avoided-relays.ts'

function relay(text: string): RelayAddress {
  const address = parseAddress(text)
  assert.ok(address.kind === 'relay')
  return address
}

test('R-10 a relay is avoided for half an hour, whatever ID or token its address has', () => {
  let nowMs = 1_000
  const avoided = new AvoidedRelays({ monotonicMs: () => nowMs })
  avoided.avoid(relay('relay://relay.example:443/?token=a'))
  assert.equal(avoided.remainingMs(relay('relay://RELAY.example:443/?token=b')), 30 * 60_000)
  assert.equal(avoided.remainingMs(relay('relay://relay.example:444/')), 0)
  nowMs += 30 * 60_000 - 1
  assert.equal(avoided.remainingMs(relay('relay://relay.example:443/')), 1)
  nowMs++
  assert.equal(avoided.remainingMs(relay('relay://relay.example:443/')), 0)
})

test('R-10 the list of avoided relays is bounded, and holds the last ones', () => {
  const avoided = new AvoidedRelays({ monotonicMs: () => 0 })
  const place = (index: number) => relay(`relay://10.0.${index >> 8}.${index & 255}:443/`)
  for (let index = 0; index < 1_001; index++) avoided.avoid(place(index))
  assert.equal(avoided.remainingMs(place(0)), 0)
  for (let index = 1; index < 1_001; index++) assert.ok(avoided.remainingMs(place(index)) > 0)
})
