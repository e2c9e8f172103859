import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { deviceIdFromBytes } from '../../../src/core/device-id.ts'
import type { FolderId } from '../../../src/core/ids.ts'
import {
  formatInvitation,
  invitedAddresses,
  parseInvitation,
  type Invitation,
} from '../../../src/core/invitations/invitation.ts'

const INVITATION: Invitation = {
  device: deviceIdFromBytes(new Uint8Array(32).fill(7)),
  name: 'Anna’s laptop',
  addresses: ['tcp://192.168.1.5:22000', 'relay://203.0.113.9:22067'],
  folders: [
    { id: 'photos' as FolderId, label: 'Photos 📷', type: 'receiveonly' },
    { id: 'abcd-efgh' as FolderId, label: '', type: 'sendreceive' },
  ],
  expiresMs: Date.UTC(2026, 0, 2),
  secret: new Uint8Array(16).fill(9),
}
const TEXT = formatInvitation(INVITATION)

function refusal(text: string): string {
  try {
    parseInvitation(text)
  } catch (error) {
    assert.ok(error instanceof TwinfoldError && error.code === 'bad-request', String(error))
    return error.message
  }
  return assert.fail(`${text.slice(0, 200)} was read`)
}

test('an invitation is read as it was made, also out of a message and broken into lines', () => {
  assert.deepEqual(parseInvitation(TEXT), INVITATION)
  assert.deepEqual(parseInvitation(`Hi! Use this:\n<${TEXT}>\nsee you`), INVITATION)
  assert.deepEqual(parseInvitation(`${TEXT}\nsee you`), INVITATION)
  assert.deepEqual(parseInvitation(TEXT.replace(/.{60}/g, '$&\n  ')), INVITATION)
  assert.deepEqual(parseInvitation(TEXT.replace('twinfold', 'Twinfold')), INVITATION)
  assert.match(TEXT, /^twinfold:\/\/join#[\w-]+$/, 'one word that a link and a shell can hold')
})

test('what is no invitation, a cut one and a newer one are refused with the remedy', () => {
  assert.match(refusal(''), /no invitation; one begins with twinfold:/)
  assert.match(refusal(INVITATION.device), /no invitation/)
  assert.match(refusal(`${' '.repeat(70_000)}${TEXT}`), /no invitation/)
  assert.match(refusal(TEXT.slice(0, -1)), /incomplete/)
  assert.match(refusal('twinfold://join#'), /incomplete/)
  assert.match(refusal(TEXT.replace('#1', '#2')), /newer version/)
  for (let at = 'twinfold://join#1'.length; at < TEXT.length - 1; at++) {
    const other = TEXT[at] === 'A' ? 'B' : 'A'
    assert.match(refusal(TEXT.slice(0, at) + other + TEXT.slice(at + 1)), /incomplete/, `position ${at}`)
  }
})

test('an invitation with right check bytes and wrong contents is refused, or its foreign text is cut', () => {
  const made = (change: Partial<Invitation>): string => formatInvitation({ ...INVITATION, ...change })
  assert.match(refusal(made({ secret: new Uint8Array(15) })), /no secret/)
  assert.match(refusal(made({ folders: [INVITATION.folders[0]!, INVITATION.folders[0]!] })), /twice/)
  const odd = (id: string) => made({ folders: [{ id: id as FolderId, label: '', type: 'sendreceive' }] })
  assert.match(refusal(odd('')), /does not understand/)
  assert.match(refusal(odd('a\nb')), /does not understand/)
  assert.match(
    refusal(
      made({ folders: Array.from({ length: 40 }, (_, i) => ({ ...INVITATION.folders[0]!, id: `f${i}` as FolderId })) }),
    ),
    /cannot be read/,
  )
  assert.match(refusal(made({ expiresMs: Number.MAX_SAFE_INTEGER * 8 })), /no valid end/)
  const { name, addresses } = parseInvitation(
    made({ name: `\u202e${'x'.repeat(500)}`, addresses: ['file:///etc/passwd', 'tcp://0.0.0.0:1', 'tcp://h:2'] }),
  )
  assert.equal(name.length, 64)
  assert.deepEqual(addresses, ['tcp://h:2'])
})

test('of the addresses of a device those are in the invitation that another one can dial', () => {
  const all = ['tcp://0.0.0.0:22000', 'tcp://[::]:22000', 'quic://10.0.0.1:22000', 'tcp://10.0.0.1:22000', 'dynamic']
  assert.deepEqual(invitedAddresses([...all, 'tcp://10.0.0.1:22000']), ['tcp://10.0.0.1:22000'])
})

test('any text and any bytes with right check bytes are read or refused, never anything else', () => {
  const made = fc.uint8Array({ maxLength: 300 }).map((payload) => {
    const check = createHash('sha256').update(payload).digest().subarray(0, 4)
    return `twinfold://join#1${Buffer.concat([payload, check]).toString('base64url')}`
  })
  fc.assert(
    fc.property(
      fc.oneof(
        made,
        fc.string().map((text) => `twinfold://join#1${text}`),
        fc.string(),
      ),
      (text) => {
        try {
          const { secret, folders, addresses } = parseInvitation(text)
          assert.ok(secret.length === 16 && folders.length <= 16 && addresses.length <= 8)
        } catch (error) {
          assert.ok(error instanceof TwinfoldError && error.code === 'bad-request', String(error))
        }
      },
    ),
    { numRuns: 2_000 },
  )
})
