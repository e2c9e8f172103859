import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceIdFromBytes } from '../../../src/core/device-id.ts'
import type { FolderId } from '../../../src/core/ids.ts'
import {
  checkNewInvitation,
  checkProof,
  invitedFields,
  newInvitation,
  NOTHING_INVITED,
  parseInvited,
  withJoin,
  withoutExpired,
  type Invited,
} from '../../../src/core/invitations/open-invitations.ts'
import { invitationKey, makeProof, readProof, type ProofParties } from '../../../src/core/invitations/proof.ts'

const DAY_MS = 86_400_000
const NOW_MS = Date.UTC(2026, 5, 1)
const KEY = invitationKey(new Uint8Array(16).fill(1))
const OTHER_KEY = invitationKey(new Uint8Array(16).fill(2))
const [INVITER, JOINER, THIRD] = [1, 2, 3].map((byte) => deviceIdFromBytes(new Uint8Array(32).fill(byte)))
const PARTIES: ProofParties = { inviter: INVITER!, joiner: JOINER!, exported: new Uint8Array(32).fill(5) }
const OPEN: Invited = {
  ...NOTHING_INVITED,
  invitations: [KEY, OTHER_KEY].map((key) =>
    newInvitation(key, { folders: ['photos' as FolderId], type: 'sendreceive' }, NOW_MS, DAY_MS),
  ),
}

function check(invited: Invited, parties: ProofParties, nowMs = NOW_MS, proof = makeProof(KEY, PARTIES)) {
  return checkProof(invited, readProof(proof)!, parties, nowMs)
}

test('a proof uses up its invitation, and no other one', () => {
  const { kind, invitation, invited } = check(OPEN, PARTIES)
  assert.equal(kind, 'accepted')
  assert.equal(invitation?.id, KEY.id)
  assert.deepEqual(
    invited.invitations.map(({ id }) => id),
    [OTHER_KEY.id],
  )
  assert.equal(check(invited, PARTIES).kind, 'unknown', 'the same string again')
})

test('a proof counts for its own connection, its two devices and its own secret', () => {
  assert.equal(check(OPEN, { ...PARTIES, exported: new Uint8Array(32).fill(6) }).kind, 'wrong', 'replayed')
  assert.equal(check(OPEN, { ...PARTIES, joiner: THIRD! }).kind, 'wrong', 'another joiner')
  assert.equal(check(OPEN, { ...PARTIES, inviter: THIRD! }).kind, 'wrong', 'another inviter')
  const mixed = makeProof({ ...OTHER_KEY, id: KEY.id }, PARTIES)
  assert.equal(check(OPEN, PARTIES, NOW_MS, mixed).kind, 'wrong', 'another secret')
})

test('five wrong proofs revoke an invitation; those of an id that does not exist change nothing', () => {
  const unknown = makeProof(invitationKey(new Uint8Array(16).fill(3)), PARTIES)
  assert.deepEqual(check(OPEN, PARTIES, NOW_MS, unknown), { kind: 'unknown', invited: OPEN })
  let invited = OPEN
  for (const left of [4, 3, 2, 1]) {
    const result = check(invited, { ...PARTIES, joiner: THIRD! })
    ;({ invited } = result)
    assert.equal(result.invitation?.triesLeft, left)
    assert.deepEqual(parseInvited(JSON.parse(JSON.stringify(invitedFields(invited)))), invited, 'counted over restarts')
  }
  assert.equal(check(invited, PARTIES).kind, 'accepted', 'the fifth may be right')
  ;({ invited } = check(invited, { ...PARTIES, joiner: THIRD! }))
  assert.equal(check(invited, PARTIES).kind, 'unknown')
  assert.equal(invited.invitations.length, 1)
})

test('an invitation ends by the clock of its device', () => {
  assert.equal(check(OPEN, PARTIES, NOW_MS + DAY_MS - 1).kind, 'accepted')
  assert.equal(check(OPEN, PARTIES, NOW_MS + DAY_MS).kind, 'unknown')
  assert.equal(withoutExpired(OPEN, NOW_MS), OPEN)
  assert.deepEqual(withoutExpired(OPEN, NOW_MS + DAY_MS), NOTHING_INVITED)
  assert.throws(() => checkNewInvitation(OPEN, 31 * DAY_MS), /30 days at most/)
  assert.throws(() => checkNewInvitation(OPEN, 0), /30 days at most/)
})

test('there are at most 100 open invitations, and one use per device', () => {
  const many = { ...OPEN, invitations: Array.from({ length: 100 }, () => OPEN.invitations[0]!) }
  assert.throws(() => checkNewInvitation(many, DAY_MS), /revoke some/)
  const twice = [KEY, OTHER_KEY].reduce(
    (invited, key) => withJoin(invited, { ...key, device: INVITER!, createdMs: NOW_MS }),
    OPEN,
  )
  assert.deepEqual(
    twice.joins.map(({ id }) => id),
    [OTHER_KEY.id],
  )
  const lot = Array.from({ length: 150 }, (_, i) => deviceIdFromBytes(Buffer.alloc(32, `${i} `)))
  const joins = lot.reduce((invited, device) => withJoin(invited, { ...KEY, device, createdMs: 0 }), OPEN).joins
  assert.equal(joins.length, 100)
})

test('the file has neither a secret nor anything that makes the string again', () => {
  const text = JSON.stringify(invitedFields(OPEN))
  for (const encoding of ['hex', 'base64url', 'base64'] as const) {
    assert.ok(!text.includes(Buffer.alloc(16, 1).toString(encoding)))
  }
  const broken = (change: object) => ({
    invitations: [{ ...Object(invitedFields(OPEN)).invitations[0], ...change }],
    joins: [],
  })
  for (const change of [
    { key: 'x' },
    { id: '..' },
    { triesLeft: 6 },
    { triesLeft: 0.5 },
    { type: 'x' },
    { expires: 1 },
  ]) {
    assert.throws(() => parseInvited(broken(change)), { code: 'config-invalid' }, JSON.stringify(change))
  }
  for (const value of [undefined, 1, {}, { invitations: [] }]) assert.throws(() => parseInvited(value))
})

test('bytes that are no proof are none', () => {
  const proof = makeProof(KEY, PARTIES)
  assert.equal(proof.length, 41)
  assert.equal(readProof(proof.subarray(1)), undefined)
  assert.equal(readProof(Buffer.concat([proof, Buffer.alloc(1)])), undefined)
  assert.equal(readProof(Buffer.concat([Buffer.alloc(1, 2), proof.subarray(1)])), undefined)
  assert.equal(readProof(new Uint8Array()), undefined)
})
