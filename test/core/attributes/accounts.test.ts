import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Accounts } from '../../../src/core/attributes/accounts.ts'

const PASSWD = [
  'root:x:0:0:root:/root:/bin/bash',
  '# comment:x:7:7:',
  '+nis:x:8:8:',
  '-nis:x:9:9:',
  ':x:10:10:',
  'short:x',
  'letters:x:abc:1:',
  'alice:x:1000:1000:,,,:/home/alice:/bin/sh',
  'alice:x:1001:1001:again',
  'alias:x:1000:1000:the same user',
  'last:x:4294967294:1:',
  'unknown-account:x:4294967295:1:',
  'huge:x:12345678901:1:',
].join('\n')
const GROUP = 'root:x:0:\nstaff:x:50:alice,bob\n'

test('accounts: names by id and ids by name, of several lines the first', () => {
  const accounts = new Accounts(PASSWD, GROUP)
  assert.deepEqual(accounts.ownerOf(1_000, 50), { ownerName: 'alice', groupName: 'staff', userId: 1_000, groupId: 50 })
  assert.deepEqual(accounts.ownerOf(0, 0), { ownerName: 'root', groupName: 'root', userId: 0, groupId: 0 })
  assert.equal(accounts.ownerOf(1_001, 0).ownerName, 'alice')
  const idsOf = (ownerName: string, groupName: string) =>
    accounts.idsOf({ ownerName, groupName, userId: 77, groupId: 88 })
  assert.deepEqual(idsOf('alice', 'staff'), { userId: 1_000, groupId: 50 })
  assert.deepEqual(idsOf('alias', 'unknown here'), { userId: 1_000, groupId: 88 })
  assert.deepEqual(idsOf('', ''), { userId: 77, groupId: 88 })
})

test('accounts: lines that name no account are skipped', () => {
  const accounts = new Accounts(PASSWD, '')
  for (const id of [7, 8, 9, 10, 4_294_967_295, 12_345_678_901, 50])
    assert.equal(accounts.ownerOf(id, id).ownerName, '', String(id))
  assert.equal(accounts.ownerOf(4_294_967_294, 0).ownerName, 'last')
  for (const name of ['# comment', '+nis', '-nis', 'short', 'letters', 'unknown-account', 'huge'])
    assert.equal(accounts.idsOf({ ownerName: name, groupName: '', userId: 77, groupId: 88 }).userId, 77, name)
  assert.deepEqual(new Accounts('', '').ownerOf(1, 2), { ownerName: '', groupName: '', userId: 1, groupId: 2 })
})
