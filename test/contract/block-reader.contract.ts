import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { BlockAnswer, BlockOrder, BlockReader } from '../../src/platform/files/block-reader.ts'
import type { Disk } from '../../src/platform/disk.ts'

export interface BlockReaderWorld extends AsyncDisposable {
  readonly blocks: BlockReader
  readonly disk: Disk
  /** The folder. */
  readonly root: string
  put(path: string, content: Uint8Array): Promise<void>
  putPipe(path: string): Promise<void>
}

const KIB = 1_024

/** What every BlockReader owes its callers. */
export function blockReaderContract(name: string, make: () => Promise<BlockReaderWorld>): void {
  const law = (text: string, check: (world: BlockReaderWorld) => Promise<void>): void => {
    test(`${name}: ${text}`, async () => {
      await using world = await make()
      await check(world)
    })
  }

  law('bytes with the wanted hash are given, from anywhere in a file, and no more than there are', async (world) => {
    const content = noise(300 * KIB, 1)
    await world.put('dir/file', content)
    await world.put('empty', new Uint8Array(0))
    for (const [offset, size] of [[0, 128 * KIB], [128 * KIB, 128 * KIB], [256 * KIB, 44 * KIB], [1, 5], [299 * KIB, 100 * KIB]] as const) {
      const wanted = content.subarray(offset, offset + size)
      const answer = await world.blocks.read(orderFor(world, 'dir/file', wanted, { offsetBytes: offset, sizeBytes: size }))
      assert.deepEqual(bytesOf(answer), Buffer.from(wanted))
    }
    assert.deepEqual(bytesOf(await world.blocks.read(orderFor(world, 'empty', new Uint8Array(0)))), Buffer.alloc(0))
  })

  law('other bytes are not given, but how the file looks is told', async (world) => {
    await world.put('file', Buffer.from('what is there'))
    const { sizeBytes, modifiedS, modifiedNs } = await world.disk.lstat(`${world.root}/file`)
    const expected = { kind: 'different', sizeBytes, modifiedS, modifiedNs }
    assert.deepEqual(await world.blocks.read(orderFor(world, 'file', Buffer.from('what was there'))), expected)
    const beyond = orderFor(world, 'file', Buffer.from('x'), { offsetBytes: 1_000 })
    assert.deepEqual(await world.blocks.read(beyond), expected)
  })

  law('a file that looks as recorded is not hashed, any other is, and so is less than was asked for', async (world) => {
    await world.put('file', Buffer.from('what is there'))
    const { sizeBytes, modifiedS, modifiedNs } = await world.disk.lstat(`${world.root}/file`)
    const recorded = { sizeBytes, modifiedS, modifiedNs }
    const ask = (more: Partial<BlockOrder>) => world.blocks.read(orderFor(world, 'file', Buffer.from('what was here'), more))
    assert.deepEqual(bytesOf(await ask({ recorded, sizeBytes: 13 })), Buffer.from('what is there'))
    const others = [{ sizeBytes: 12 }, { modifiedS: modifiedS + 1 }, { modifiedNs: modifiedNs + 1 }]
    for (const other of others) assert.equal((await ask({ recorded: { ...recorded, ...other } })).kind, 'different', JSON.stringify(other))
    assert.equal((await ask({ recorded, sizeBytes: 14 })).kind, 'different', 'too short')
    assert.equal((await ask({})).kind, 'different')
  })

  law('what is no regular file inside the folder is absent', async (world) => {
    const secret = Buffer.from('outside')
    await world.put('dir/secret', secret)
    await world.put('elsewhere/secret', secret)
    await world.putPipe(`${world.root}/pipe`)
    await world.disk.makeSymlink(`${world.root}/dir/secret`, `${world.root}/link`)
    await world.disk.makeSymlink(`${world.root}/elsewhere`, `${world.root}/way`)
    for (const path of ['nothing', 'dir', 'dir/secret/below', 'pipe', 'link', 'way/secret', 'n\0ul', 'x'.repeat(300)]) {
      assert.deepEqual(await world.blocks.read(orderFor(world, path, secret)), { kind: 'absent' }, path)
    }
    const inside = { ...orderFor(world, 'secret', secret), root: `${world.root}/dir` }
    assert.equal((await world.blocks.read(inside)).kind, 'read')
  })

  law('a folder whose root is a link is read, and followed when the link leads elsewhere', async (world) => {
    await world.put('one/file', Buffer.from('one'))
    await world.put('two/file', Buffer.from('two'))
    const root = `${world.root}/link`
    for (const target of ['one', 'two']) {
      await world.disk.makeSymlink(`${world.root}/${target}`, root)
      assert.equal((await world.blocks.read({ ...orderFor(world, 'file', Buffer.from(target)), root })).kind, 'read', target)
      await world.disk.removeFile(root)
    }
  })

  law('many at once have each their own answer', async (world) => {
    const count = 300
    for (let i = 0; i < count; i++) await world.put(`f${i}`, noise(1 + i * 20, i))
    await world.put('large', noise(700 * KIB, 99))
    await world.disk.removeFile(`${world.root}/f100`)
    const large = noise(700 * KIB, 99)
    const [answers, whole] = await Promise.all([
      Promise.all(Array.from({ length: count }, (_, i) => world.blocks.read(orderFor(world, `f${i}`, noise(1 + i * 20, i === 200 ? 7 : i))))),
      world.blocks.read(orderFor(world, 'large', large)),
    ])
    answers.forEach((answer, i) => {
      if (i === 100) assert.equal(answer.kind, 'absent')
      else if (i === 200) assert.equal(answer.kind, 'different')
      else assert.deepEqual(bytesOf(answer), noise(1 + i * 20, i))
    })
    assert.deepEqual(bytesOf(whole), large)
  })

  law('memory that was given back serves others, what was not stays as it is', async (world) => {
    for (let i = 0; i < 40; i++) await world.put(`f${i}`, noise(9_000, i))
    const kept: { readonly answer: BlockAnswer; readonly i: number }[] = []
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => world.blocks.read(orderFor(world, `f${i}`, noise(9_000, i)))))
      answers.forEach((answer, i) => {
        assert.deepEqual(bytesOf(answer), noise(9_000, i))
        if (answer.kind === 'read' && (i + round) % 5 > 0) {
          answer.giveBack()
          answer.giveBack() // counts once
        } else kept.push({ answer, i })
      })
    }
    for (const { answer, i } of kept) assert.deepEqual(bytesOf(answer), noise(9_000, i))
  })
}

function orderFor({ root }: BlockReaderWorld, name: string, wanted: Uint8Array, more: Partial<BlockOrder> = {}): BlockOrder {
  return { root, name, offsetBytes: 0, sizeBytes: wanted.length, hash: createHash('sha256').update(wanted).digest(), ...more }
}

function bytesOf(answer: BlockAnswer): Buffer {
  assert.equal(answer.kind, 'read')
  return answer.kind === 'read' ? Buffer.from(answer.data) : Buffer.alloc(0)
}

function noise(count: number, seed: number): Buffer {
  const data = Buffer.alloc(count)
  let state = seed * 2_654_435_761 + 1
  for (let at = 0; at < count; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    data[at] = state >>> 24
  }
  return data
}
