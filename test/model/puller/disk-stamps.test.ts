/** Records of pulled files have the stamp of the disk, so that no scan hashes them and no silent change is replaced. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROOT, SimPull } from './sim-pull.ts'

/** The same size and modification time, other content. */
async function replaceQuietly(pull: SimPull, name: string, content: string): Promise<void> {
  const { modifiedS, modifiedNs } = await pull.disk.lstat(`${ROOT}/${name}`)
  pull.disk.direct.write(`${ROOT}/${name}`, Buffer.from(content))
  await pull.disk.setModified(`${ROOT}/${name}`, modifiedS, modifiedNs)
}

async function stampsOf(pull: SimPull, names: readonly string[]): Promise<readonly (number | undefined)[]> {
  const records = await Promise.all(names.map((name) => pull.index.records.get('local', name)))
  return records.map((record) => record?.diskStamp)
}

test('a pulled file is recorded with its stamp: small, large, replaced, renamed and with new metadata', async () => {
  await using pull = await SimPull.start()
  const names = ['small', 'large', 'replaced', 'renamed', 'metadata']
  pull.peer.put('small', 'content')
  pull.peer.put('large', 'x'.repeat(400_000))
  pull.peer.put('replaced', 'first')
  pull.peer.put('source', 'moved content')
  pull.peer.put('metadata', 'unchanged')
  await pull.sync()
  pull.peer.put('replaced', 'second')
  pull.peer.delete('source')
  pull.peer.put('renamed', 'moved content')
  pull.peer.put('metadata', 'unchanged', { permissions: 0o600 })
  await pull.sync()
  const stamps = await stampsOf(pull, names)
  assert.equal(stamps.includes(undefined), false, stamps.join(' '))
  await pull.assertSettled()
  assert.deepEqual(await stampsOf(pull, names), stamps, 'a scan had to hash a file')
})

for (const content of ['theirs', 'x'.repeat(400_000)])
  test(`an unscanned change of the same size and time is not replaced by ${content.length} bytes`, async () => {
    await using pull = await SimPull.start()
    const before = pull.peer.put('f', 'first')
    await pull.sync()
    await replaceQuietly(pull, 'f', 'quiet')
    pull.peer.put('f', content, { basedOn: before.version, modifiedS: 1_800_000_000 })
    await pull.sync()
    await pull.hub.pass(2 * 60_000)
    await pull.rest()
    const tree = await pull.tree()
    const contents = await Promise.all(tree.map((name) => pull.read(name)))
    assert.ok(contents.includes('quiet'), tree.join(' '))
    assert.ok(contents.includes(content), tree.join(' '))
    await pull.assertSettled()
  })

test('an unscanned change of the same size and time is not deleted', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('f', 'first')
  await pull.sync()
  await replaceQuietly(pull, 'f', 'quiet')
  pull.peer.delete('f')
  await pull.sync()
  await pull.hub.pass(2 * 60_000)
  await pull.rest()
  assert.equal(await pull.read('f'), 'quiet')
})
