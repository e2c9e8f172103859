import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { folderId } from '../../support/model.ts'
import { PEER } from './sim-peer.ts'
import { ROOT, SimPull } from './sim-pull.ts'

const BLOCK = 131_072

/** Blocks by letter: every letter stands for unique 128 KiB. */
function content(letters: string): Buffer {
  return Buffer.concat(
    [...letters].map((letter) => {
      const seed = createHash('sha256').update(letter).digest()
      return Buffer.concat(Array.from({ length: BLOCK / 32 }, () => seed))
    }),
  )
}

/** The blocks requested from the other device since the last call, in file order. */
function fetched({ peer }: SimPull): readonly string[] {
  const requested = peer.requests.map(({ name, offsetBytes }) => `${name}#${offsetBytes / BLOCK}`)
  peer.requests.length = 0
  return requested.sort()
}

async function assertContent(pull: SimPull, name: string, letters: string): Promise<void> {
  assert.equal(Buffer.compare(Buffer.from(await pull.read(name), 'latin1'), content(letters)), 0, name)
}

test('only the new blocks of a renamed and edited file are fetched', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('draft.bin', content('abcdefgh'))
  await pull.sync()
  fetched(pull)
  pull.peer.delete('draft.bin')
  pull.peer.put('final.bin', content('abXdefghY'))
  await pull.sync()
  assert.deepEqual(fetched(pull), ['final.bin#2', 'final.bin#8'])
  await assertContent(pull, 'final.bin', 'abXdefghY')
  assert.deepEqual(await pull.tree(), ['final.bin'])
  await pull.assertSettled()
})

test('blocks are assembled from several files, in any order', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('one', content('abc'))
  pull.peer.put('two', content('cdef'))
  pull.peer.put('three', content('x'))
  await pull.sync()
  fetched(pull)
  pull.peer.put('sum', content('faxNcaf'))
  await pull.sync()
  assert.deepEqual(fetched(pull), ['sum#3'])
  await assertContent(pull, 'sum', 'faxNcaf')
  await pull.assertSettled()
})

test('blocks are copied from files of other folders', async () => {
  await using pull = await SimPull.start({
    others: ['music'],
    arrange: async (disk) => {
      await disk.makeDirectories('/data/music/.stfolder', 0o755)
      await using file = await disk.open('/data/music/album', 'create')
      await file.write(content('abcd'), 0)
    },
  })
  await pull.hub.while(pull.hub.model.scan(folderId('music')))
  pull.peer.put('copy', content('abcdE'))
  await pull.sync()
  assert.deepEqual(fetched(pull), ['copy#4'])
  await assertContent(pull, 'copy', 'abcdE')
  await pull.assertSettled()
})

const SHARED = [{ deviceID: PEER, introducedBy: '', encryptionPassword: '' }] as const
const ENCRYPTED = [{ ...SHARED[0], encryptionPassword: 'secret' }] as const

for (const [how, devices, isCopied] of [
  ['not shared with it', [], false],
  ['shared with it encrypted', ENCRYPTED, false],
  ['shared with it', SHARED, true],
] as const)
  test(`a device announces the blocks of a file in a folder ${how}: ${isCopied ? '' : 'not '}copied`, async () => {
    await using pull = await SimPull.start({
      folder: { devices: SHARED },
      others: ['private'],
      otherFolder: { devices },
      arrange: async (disk) => {
        await disk.makeDirectories('/data/private/.stfolder', 0o755)
        await using file = await disk.open('/data/private/letter', 'create')
        await file.write(content('abcd'), 0)
      },
    })
    await pull.hub.while(pull.hub.model.scan(folderId('private')))
    pull.peer.put('whole', content('abcd'))
    pull.peer.put('part', content('Xbcd'))
    pull.peer.serve = () => Promise.reject(new Error('it does not have the blocks'))
    await pull.sync()
    const bytes = [...pull.disk.direct.tree(ROOT).values()].map((item) => (item.type === 'file' ? item.content : ''))
    const isThere = bytes.some((data) => Buffer.from(data).includes(content('b')))
    assert.equal(isThere, isCopied)
    assert.deepEqual(await pull.needed(), isCopied ? ['part'] : ['part', 'whole'])
  })

test('a file that does not match its record is skipped, and the next candidate is used', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('first', content('abcd1'))
  pull.peer.put('second', content('abcd2'))
  await pull.sync()
  fetched(pull)
  // The later file would be tried first: its bytes change, but not its time and size.
  const { modifiedS, modifiedNs } = await pull.disk.lstat(`${ROOT}/second`)
  {
    await using file = await pull.disk.open(`${ROOT}/second`, 'write')
    await file.write(content('ZZ'), BLOCK)
  }
  await pull.disk.setModified(`${ROOT}/second`, modifiedS, modifiedNs)
  pull.peer.put('third', content('abcd3'))
  await pull.sync()
  assert.deepEqual(fetched(pull), ['third#4'])
  await assertContent(pull, 'third', 'abcd3')
  await pull.disk.removeFile(`${ROOT}/first`)
  await pull.disk.removeFile(`${ROOT}/third`)
  pull.peer.put('fourth', content('abcd4'))
  await pull.sync()
  assert.deepEqual(fetched(pull), ['fourth#1', 'fourth#2', 'fourth#4'], 'two blocks exist nowhere')
  await assertContent(pull, 'fourth', 'abcd4')
})

test('a block at the end of a file does not match a longer one, nor one of another block size', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('short', content('ab').subarray(0, BLOCK + 1_000))
  await pull.sync()
  fetched(pull)
  pull.peer.put('long', content('Xb'))
  pull.peer.put('tail', Buffer.concat([content('Y'), content('b').subarray(0, 1_000)]))
  await pull.sync()
  assert.deepEqual(fetched(pull), ['long#0', 'long#1', 'tail#0'])
  await pull.assertSettled()
})
